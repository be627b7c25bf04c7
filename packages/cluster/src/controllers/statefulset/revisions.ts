import { type DeepReadonly, isList, isRecord, type Stored } from "@homeostat/core";
import { type ControllerRevision, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { PodTemplateSpec } from "@homeostat/kubernetes/core/v1";
import { controllerReference } from "../pods/ownership.ts";
import { revisionHash } from "../template-hash/template-hash.ts";
import type { StoredStateful } from "./ordinals.ts";

export type StoredRevision = Stored<ControllerRevision>;

/** Longest part of a StatefulSet's name in the name of a revision. */
const prefixMax = 223;
const hashLabel = "controller.kubernetes.io/hash";

/**
 * Builds the revision of the current template. Its name is derived from the template.
 *
 * The data is a strategic merge patch, as in kube-controller-manager: `$patch: replace` makes it replace the template as a whole when
 * `kubectl rollout undo` applies it. Data and hash are equal to those of Kubernetes, and so are the names of revisions.
 */
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

/** Reports whether two revisions have the same data. */
export function isSameRevision(a: DeepReadonly<ControllerRevision>, b: DeepReadonly<ControllerRevision>): boolean {
  return goJson(a.data) === goJson(b.data);
}

/** Returns the revisions sorted by revision number, oldest first. */
export function inOrder(revisions: readonly StoredRevision[]): StoredRevision[] {
  return revisions.toSorted(
    (a, b) =>
      a.revision - b.revision ||
      compare(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "") ||
      compare(a.metadata.name, b.metadata.name),
  );
}

/** Returns a StatefulSet with the template of a revision. */
export function atRevision(set: StoredStateful, { data }: DeepReadonly<ControllerRevision>): StoredStateful {
  const spec = isRecord(data) ? data["spec"] : undefined;
  const template = isRecord(spec) ? spec["template"] : undefined;
  if (!isRecord(template)) return set;
  const { $patch: _, ...rest } = template;
  const restored: DeepReadonly<PodTemplateSpec> = rest;
  return { ...set, spec: { ...set.spec, template: restored } };
}

/** Returns the revisions to delete: unused, and beyond `revisionHistoryLimit`, oldest first. */
export function surplusRevisions(
  set: StoredStateful,
  revisions: readonly StoredRevision[],
  live: ReadonlySet<string>,
): readonly StoredRevision[] {
  const unused = revisions.filter(({ metadata }) => !live.has(metadata.name));
  const limit = set.spec?.revisionHistoryLimit ?? 10;
  return limit < 0 ? [] : unused.slice(0, Math.max(0, unused.length - limit));
}

/**
 * Encodes a value as Go's `encoding/json` does: sorted keys, and `<`, `>`, `&`, U+2028 and U+2029 escaped. The
 * revision hash is computed from this text.
 */
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
