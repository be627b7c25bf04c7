import type { DeepReadonly, Stored } from "@homeostat/core";
import type { Job, JobCondition } from "@homeostat/kubernetes/batch/v1";
import type { SomePod } from "../pods/pod-state.ts";

export type StoredJob = Stored<Job>;

/** Finalizer that keeps a finished pod until the Job controller has counted it in the status. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking";

/** Annotation and label with the completion index of a pod. */
export const indexAnnotation = "batch.kubernetes.io/job-completion-index";
export const failureCountAnnotation = "batch.kubernetes.io/job-index-failure-count";
export const ignoredFailureCountAnnotation = "batch.kubernetes.io/job-index-ignored-failure-count";

/** Reports whether each completion has an index. */
export function isIndexed({ spec }: StoredJob): boolean {
  return spec?.completionMode === "Indexed";
}

/** Reports whether a Job is suspended; it has no pods then. */
export function isSuspended({ spec }: StoredJob): boolean {
  return spec?.suspend === true;
}

/** Reports whether a Job is complete or failed. */
export function isFinished({ status }: DeepReadonly<Job>): boolean {
  return status?.conditions?.some(isFinishing) ?? false;
}

/**
 * Reports whether only failed pods are replaced, and terminating ones are not (`podReplacementPolicy: Failed`,
 * implied by a pod failure policy).
 */
export function replacesFailedOnly({ spec }: StoredJob): boolean {
  return spec?.podReplacementPolicy === "Failed" || spec?.podFailurePolicy !== undefined;
}

/** Reports whether another controller manages the Job (`spec.managedBy`). */
export function isManagedByOther({ spec }: DeepReadonly<Job>): boolean {
  return spec?.managedBy !== undefined && spec.managedBy !== "kubernetes.io/job-controller";
}

/** Reports whether a pod still has the tracking finalizer. */
export function isTracked({ metadata }: SomePod): boolean {
  return metadata.finalizers?.includes(trackingFinalizer) ?? false;
}

/** Returns the completion index of a pod; undefined when it has none. */
export function indexOf({ metadata }: SomePod): number | undefined {
  const text = metadata.annotations?.[indexAnnotation] ?? "";
  return /^\+?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Returns the completion index of a pod if it is below the Job's completions. */
export function validIndexOf(pod: SomePod, job: StoredJob): number | undefined {
  const index = indexOf(pod);
  return index !== undefined && index < (job.spec?.completions ?? 0) ? index : undefined;
}

/** Reports whether a pod counts as failed. A terminating pod counts as failed, unless only failed pods are replaced. */
export function isPodFailed(pod: SomePod, job: StoredJob): boolean {
  if (pod.status?.phase === "Failed") return true;
  if (replacesFailedOnly(job)) return false;
  return pod.metadata.deletionTimestamp !== undefined && pod.status?.phase !== "Succeeded";
}

/** Returns the condition of a type; undefined when there is none. */
export function conditionOf(
  conditions: readonly DeepReadonly<JobCondition>[] | undefined,
  conditionType: string,
): DeepReadonly<JobCondition> | undefined {
  return conditions?.find(({ type }) => type === conditionType);
}

function isFinishing({ type, status }: DeepReadonly<JobCondition>): boolean {
  return (type === "Complete" || type === "Failed") && status === "True";
}
