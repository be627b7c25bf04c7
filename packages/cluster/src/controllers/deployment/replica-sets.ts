import { type DeepReadonly, isEqual } from "@homeostat/core";
import type { ReplicaSet } from "@homeostat/kubernetes/apps/v1";
import type { PodTemplateSpec } from "@homeostat/kubernetes/core/v1";
import { desired, maxSurge, sizeOf, type StoredDeployment, type StoredSet } from "./strategy.ts";

/** The label that tells the pods of one template from those of another. */
export const hashLabel = "pod-template-hash";
export const revisionAnnotation = "deployment.kubernetes.io/revision";
export const revisionHistoryAnnotation = "deployment.kubernetes.io/revision-history";
export const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
export const maxAnnotation = "deployment.kubernetes.io/max-replicas";
export const rollbackAnnotation = "deprecated.deployment.rollback.to";

/** How long the list of earlier revisions gets. */
const historyCharsMax = 2000;

/** Annotations that belong to a Deployment or a ReplicaSet alone. */
const unshared: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredAnnotation,
  maxAnnotation,
  rollbackAnnotation,
]);

type Annotations = Readonly<Record<string, string>>;

/** The ReplicaSets of a Deployment: the one with its template, if there is one, and all others. */
export interface SetsOf {
  readonly current: StoredSet | undefined;
  readonly old: readonly StoredSet[];
}

/** Finds the ReplicaSet with the template of a Deployment; of several, the oldest. */
export function divide(deployment: StoredDeployment, sets: readonly StoredSet[]): SetsOf {
  const template = deployment.spec?.template;
  const current = byAge(sets).find((set) => isSameTemplate(set.spec?.template, template));
  return { current, old: byAge(sets).filter((set) => set.metadata.uid !== current?.metadata.uid) };
}

/** Whether two templates are the same but for the label with their hash. */
export function isSameTemplate(
  a: DeepReadonly<PodTemplateSpec> | undefined,
  b: DeepReadonly<PodTemplateSpec> | undefined,
): boolean {
  return isEqual(withoutHash(a), withoutHash(b));
}

/** A template without the label with its hash. */
export function withoutHash(template: DeepReadonly<PodTemplateSpec> | undefined): DeepReadonly<PodTemplateSpec> {
  const { metadata, ...rest } = template ?? {};
  const { labels, ...others } = metadata ?? {};
  if (labels === undefined) return template ?? {};
  return { ...rest, metadata: { ...others, labels: omit(labels, (key) => key === hashLabel) } };
}

/** Oldest first; of the same age, by name. */
export function byAge(sets: readonly StoredSet[]): StoredSet[] {
  return sets.toSorted(
    (a, b) =>
      compare(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "") ||
      compare(a.metadata.name, b.metadata.name),
  );
}

/** Largest first; of the same size, the oldest, or with `newest` the newest. */
export function bySize(sets: readonly StoredSet[], { newest }: { readonly newest: boolean }): StoredSet[] {
  const aged = newest ? byAge(sets).toReversed() : byAge(sets);
  return aged.toSorted((a, b) => sizeOf(b) - sizeOf(a));
}

/** The revision of a ReplicaSet or Deployment; undefined when what it says is no number. */
export function revisionOf({ metadata }: DeepReadonly<Pick<ReplicaSet, "metadata">>): number | undefined {
  const text = metadata.annotations?.[revisionAnnotation];
  if (text === undefined) return 0;
  return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The highest revision of several. */
export function maxRevision(sets: readonly StoredSet[]): number {
  return Math.max(0, ...sets.map((set) => revisionOf(set) ?? 0));
}

/** The revision before the highest; 0 when there is none. */
export function lastRevision(sets: readonly StoredSet[]): number {
  const revisions = sets.map((set) => revisionOf(set) ?? 0).toSorted((a, b) => b - a);
  return revisions[1] ?? 0;
}

/** Lowest revision first; those without one, and those with the same, by age. */
export function byRevision(sets: readonly StoredSet[]): StoredSet[] {
  return byAge(sets).toSorted((a, b) => {
    const [one, other] = [revisionOf(a), revisionOf(b)];
    return one === undefined || other === undefined ? 0 : one - other;
  });
}

/** A number of pods that an annotation of a ReplicaSet tells. */
export function countIn({ metadata }: StoredSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation] ?? "";
  const count = /^\d{1,10}$/.test(text) ? Number(text) : undefined;
  return count !== undefined && count < 2 ** 31 ? count : undefined;
}

/** How many pods the Deployment was to have, and might have had at most, when a ReplicaSet was last told its size. */
export function sizeAnnotations(deployment: StoredDeployment): Annotations {
  const count = desired(deployment);
  return { [desiredAnnotation]: String(count), [maxAnnotation]: String(count + maxSurge(deployment)) };
}

/** The annotations of the current ReplicaSet: those of the Deployment, its revision, and the revisions it had before. */
export function currentAnnotations(
  deployment: StoredDeployment,
  before: Annotations | undefined,
  revision: number,
): Annotations {
  const shared = omit(deployment.metadata.annotations ?? {}, (key) => unshared.has(key));
  const annotations = { ...before, ...shared };
  const known = before?.[revisionAnnotation];
  if (known !== undefined && known !== "" && !/^[+-]?\d+$/.test(known)) return annotations;
  if (Number(known ?? 0) >= revision) return annotations;
  return {
    ...annotations,
    [revisionAnnotation]: String(revision),
    ...(known === undefined ? {} : revisionHistory(before?.[revisionHistoryAnnotation] ?? "", known)),
  };
}

/** The annotations that a Deployment gets back with an old template. */
export function annotationsFrom(deployment: StoredDeployment, set: StoredSet): Annotations {
  return {
    ...omit(deployment.metadata.annotations ?? {}, (key) => !unshared.has(key)),
    ...omit(set.metadata.annotations ?? {}, (key) => unshared.has(key)),
  };
}

function revisionHistory(history: string, revision: string): Annotations {
  if (history === "") return { [revisionHistoryAnnotation]: revision };
  const revisions = [...history.split(","), revision];
  while (revisions.length > 1 && revisions.join(",").length > historyCharsMax) revisions.shift();
  return { [revisionHistoryAnnotation]: revisions.join(",") };
}

/** A map without some of its keys. */
export function omit(map: Annotations, isUnwanted: (key: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !isUnwanted(key)));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
