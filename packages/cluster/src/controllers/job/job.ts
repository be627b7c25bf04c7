import type { DeepReadonly, Stored } from "@homeostat/core";
import type { Job, JobCondition } from "@homeostat/kubernetes/batch/v1";
import type { SomePod } from "../pods/pod-state.ts";

/** A Job as it is read from a cache. */
export type StoredJob = Stored<Job>;

/** Keeps a pod until it is counted. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking";

/** The annotation and label that tell which index a pod is for. */
export const indexAnnotation = "batch.kubernetes.io/job-completion-index";
export const failureCountAnnotation = "batch.kubernetes.io/job-index-failure-count";
export const ignoredFailureCountAnnotation = "batch.kubernetes.io/job-index-ignored-failure-count";

/** Whether each completion has an index of its own. */
export function isIndexed({ spec }: StoredJob): boolean {
  return spec?.completionMode === "Indexed";
}

/** Whether a Job is to have no pods for now. */
export function isSuspended({ spec }: StoredJob): boolean {
  return spec?.suspend === true;
}

/** Whether a Job is over. */
export function isFinished({ status }: DeepReadonly<Job>): boolean {
  return status?.conditions?.some(isFinishing) ?? false;
}

/** Whether failed pods alone are replaced, and not those that are on their way out. */
export function replacesFailedOnly({ spec }: StoredJob): boolean {
  return spec?.podReplacementPolicy === "Failed" || spec?.podFailurePolicy !== undefined;
}

/** Whether somebody else sees to a Job. */
export function isManagedByOther({ spec }: DeepReadonly<Job>): boolean {
  return spec?.managedBy !== undefined && spec.managedBy !== "kubernetes.io/job-controller";
}

/** Whether a pod waits to be counted. */
export function isTracked({ metadata }: SomePod): boolean {
  return metadata.finalizers?.includes(trackingFinalizer) ?? false;
}

/** The index a pod is for; undefined when it has none. */
export function indexOf({ metadata }: SomePod): number | undefined {
  const text = metadata.annotations?.[indexAnnotation] ?? "";
  return /^\+?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The index a pod is for, if its Job has that index. */
export function validIndexOf(pod: SomePod, job: StoredJob): number | undefined {
  const index = indexOf(pod);
  return index !== undefined && index < (job.spec?.completions ?? 0) ? index : undefined;
}

/** Whether a pod counts as failed. One on its way out does, unless only those that have really failed are replaced. */
export function isPodFailed(pod: SomePod, job: StoredJob): boolean {
  if (pod.status?.phase === "Failed") return true;
  if (replacesFailedOnly(job)) return false;
  return pod.metadata.deletionTimestamp !== undefined && pod.status?.phase !== "Succeeded";
}

/** The condition of a type. */
export function conditionOf(
  conditions: readonly DeepReadonly<JobCondition>[] | undefined,
  wanted: string,
): DeepReadonly<JobCondition> | undefined {
  return conditions?.find(({ type }) => type === wanted);
}

function isFinishing({ type, status }: DeepReadonly<JobCondition>): boolean {
  return (type === "Complete" || type === "Failed") && status === "True";
}
