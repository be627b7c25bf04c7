import { type DeepReadonly, isEqual } from "@homeostat/core";
import type { ReplicaSet } from "@homeostat/kubernetes/apps/v1";
import type { PodTemplateSpec } from "@homeostat/kubernetes/core/v1";
import { desired, maxSurge, sizeOf, type StoredDeployment, type StoredSet } from "./strategy.ts";

/** Label that distinguishes the pods of the templates of one Deployment. */
export const hashLabel = "pod-template-hash";
export const revisionAnnotation = "deployment.kubernetes.io/revision";
export const revisionHistoryAnnotation = "deployment.kubernetes.io/revision-history";
export const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
export const maxAnnotation = "deployment.kubernetes.io/max-replicas";
export const rollbackAnnotation = "deprecated.deployment.rollback.to";

/** Longest value of the revision history annotation; the oldest revisions are dropped first. */
const historyCharsMax = 2000;

/**
 * Annotations that are not copied between a Deployment and its ReplicaSets (`annotationsToSkip` in
 * deployment_util.go).
 */
const unshared: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredAnnotation,
  maxAnnotation,
  rollbackAnnotation,
]);

type Annotations = Readonly<Record<string, string>>;

/** The ReplicaSets of a Deployment: the one with its current template, if it exists, and all others. */
export interface SetsOf {
  readonly current: StoredSet | undefined;
  readonly old: readonly StoredSet[];
}

/**
 * Separates the ReplicaSet with the current template from the others. If several have that template, the oldest is
 * current, so that all reconciles agree on one (`FindNewReplicaSet`).
 */
export function divide(deployment: StoredDeployment, sets: readonly StoredSet[]): SetsOf {
  const template = deployment.spec?.template;
  const current = byAge(sets).find((set) => isSameTemplate(set.spec?.template, template));
  return { current, old: byAge(sets).filter((set) => set.metadata.uid !== current?.metadata.uid) };
}

/** Reports whether two templates are equal apart from the `pod-template-hash` label. */
export function isSameTemplate(
  a: DeepReadonly<PodTemplateSpec> | undefined,
  b: DeepReadonly<PodTemplateSpec> | undefined,
): boolean {
  return isEqual(withoutHash(a), withoutHash(b));
}

/** Returns a template without the `pod-template-hash` label. */
export function withoutHash(template: DeepReadonly<PodTemplateSpec> | undefined): DeepReadonly<PodTemplateSpec> {
  const { metadata, ...rest } = template ?? {};
  const { labels, ...others } = metadata ?? {};
  if (labels === undefined) return template ?? {};
  return { ...rest, metadata: { ...others, labels: omit(labels, (key) => key === hashLabel) } };
}

/** Returns the ReplicaSets sorted by creation time, oldest first; equal times by name. */
export function byAge(sets: readonly StoredSet[]): StoredSet[] {
  return sets.toSorted(
    (a, b) =>
      compare(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "") ||
      compare(a.metadata.name, b.metadata.name),
  );
}

/** Returns the ReplicaSets sorted by size, largest first; equal sizes oldest first, or newest first with `newest`. */
export function bySize(sets: readonly StoredSet[], { newest }: { readonly newest: boolean }): StoredSet[] {
  const aged = newest ? byAge(sets).toReversed() : byAge(sets);
  return aged.toSorted((a, b) => sizeOf(b) - sizeOf(a));
}

/**
 * Returns the revision of a ReplicaSet or Deployment: 0 without the annotation, undefined when its value is not a
 * number.
 */
export function revisionOf({ metadata }: DeepReadonly<Pick<ReplicaSet, "metadata">>): number | undefined {
  const text = metadata.annotations?.[revisionAnnotation];
  if (text === undefined) return 0;
  return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Returns the highest revision; 0 when there is none. */
export function maxRevision(sets: readonly StoredSet[]): number {
  return Math.max(0, ...sets.map((set) => revisionOf(set) ?? 0));
}

/** Returns the second highest revision, the target of a rollback to "the last one"; 0 when there is none. */
export function lastRevision(sets: readonly StoredSet[]): number {
  const revisions = sets.map((set) => revisionOf(set) ?? 0).toSorted((a, b) => b - a);
  return revisions[1] ?? 0;
}

/** Returns the ReplicaSets sorted by revision, lowest first; those with an invalid or equal revision by age. */
export function byRevision(sets: readonly StoredSet[]): StoredSet[] {
  return byAge(sets).toSorted((a, b) => {
    const [one, other] = [revisionOf(a), revisionOf(b)];
    return one === undefined || other === undefined ? 0 : one - other;
  });
}

/** Reads a pod count from an annotation of a ReplicaSet; undefined when it is missing or not an int32. */
export function countIn({ metadata }: StoredSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation] ?? "";
  const count = /^\d{1,10}$/.test(text) ? Number(text) : undefined;
  return count !== undefined && count < 2 ** 31 ? count : undefined;
}

/**
 * Returns the annotations that record the Deployment's replicas and maximum (replicas + surge) at the time a
 * ReplicaSet is scaled. A later difference from `spec.replicas` is how the controller detects a scaling event
 * (`isScalingEvent`).
 */
export function sizeAnnotations(deployment: StoredDeployment): Annotations {
  const count = desired(deployment);
  return { [desiredAnnotation]: String(count), [maxAnnotation]: String(count + maxSurge(deployment)) };
}

/**
 * Returns the annotations of the current ReplicaSet: those of the Deployment, its revision, and its revision history.
 * The revision only grows; a ReplicaSet that becomes current again after a rollback gets a new, higher revision.
 */
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

/**
 * Returns the annotations of a Deployment after a rollback to `set`: its own unshared ones plus the shared ones of
 * the ReplicaSet.
 */
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

/** Returns a map without some of its keys. */
export function omit(map: Annotations, isUnwanted: (key: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !isUnwanted(key)));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
