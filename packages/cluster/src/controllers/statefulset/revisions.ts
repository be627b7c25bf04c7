import { type DeepReadonly, isList, isRecord, type Stored } from "@homeostat/core";
import { type ControllerRevision, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { PodTemplateSpec } from "@homeostat/kubernetes/core/v1";
import { controllerReference } from "../pods/ownership.ts";
import { revisionHash } from "../template-hash/template-hash.ts";
import type { StoredStateful } from "./ordinals.ts";

/** A revision as it is read from a cache. */
export type StoredRevision = Stored<ControllerRevision>;

/** The longest part of a StatefulSet's name in that of a revision. */
const prefixMax = 223;
const hashLabel = "controller.kubernetes.io/hash";

/** The revision that the template of a StatefulSet stands for. Its name follows from the template. */
export function revisionFor(
  set: StoredStateful,
  { revision, collisionCount }: { readonly revision: number; readonly collisionCount: number },
): DeepReadonly<ControllerRevision> {
  const { metadata, spec } = set;
  const data = { spec: { template: { ...spec?.template, $patch: "replace" } } };
  const hash = revisionHash(goJson(data), collisionCount);
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: `${metadata.name.slice(0, prefixMax)}-${hash}`,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels: { ...spec?.template.metadata?.labels, [hashLabel]: hash },
      ...(metadata.annotations === undefined ? {} : { annotations: metadata.annotations }),
      ownerReferences: [controllerReference({ type: StatefulSet, object: set })],
    },
    data,
    revision,
  };
}

/** Whether two revisions say the same. */
export function isSameRevision(a: DeepReadonly<ControllerRevision>, b: DeepReadonly<ControllerRevision>): boolean {
  return goJson(a.data) === goJson(b.data);
}

/** Oldest first. */
export function inOrder(revisions: readonly StoredRevision[]): StoredRevision[] {
  return revisions.toSorted(
    (a, b) =>
      a.revision - b.revision ||
      compare(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "") ||
      compare(a.metadata.name, b.metadata.name),
  );
}

/** A StatefulSet with the template of a revision. */
export function atRevision(set: StoredStateful, { data }: DeepReadonly<ControllerRevision>): StoredStateful {
  const spec = isRecord(data) ? data["spec"] : undefined;
  const template = isRecord(spec) ? spec["template"] : undefined;
  if (!isRecord(template)) return set;
  const { $patch: _, ...rest } = template;
  const restored: DeepReadonly<PodTemplateSpec> = rest;
  return { ...set, spec: { ...set.spec, template: restored } };
}

/** The revisions that nobody needs: neither in use, nor among the last so many. */
export function surplusRevisions(
  set: StoredStateful,
  revisions: readonly StoredRevision[],
  live: ReadonlySet<string>,
): readonly StoredRevision[] {
  const unused = revisions.filter(({ metadata }) => !live.has(metadata.name));
  const limit = set.spec?.revisionHistoryLimit ?? 10;
  return limit < 0 ? [] : unused.slice(0, Math.max(0, unused.length - limit));
}

/** A value as Go writes JSON: keys in order, and some characters as escapes that need none. */
export function goJson(value: unknown): string {
  if (isList(value)) return `[${value.map(goJson).join(",")}]`;
  if (isRecord(value)) {
    const keys = Object.keys(value).filter((key) => value[key] !== undefined);
    return `{${keys
      .toSorted(compare)
      .map((key) => `${goText(key)}:${goJson(value[key])}`)
      .join(",")}}`;
  }
  return typeof value === "string" ? goText(value) : JSON.stringify(value ?? null);
}

function goText(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
