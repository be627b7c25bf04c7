import { type DeepReadonly, formatTime, parseTime } from "@homeostat/core";
import type { JobCondition } from "@homeostat/kubernetes/batch/v1";
import { inDeletionOrder } from "../pods/deletion-order.ts";
import { isTerminating, type StoredPod } from "../pods/pod-state.ts";
import { finishedAt, remainingMs } from "./backoff.ts";
import { firstMissing, sizeOf, union } from "./indexes.ts";
import {
  conditionOf,
  indexOf,
  isIndexed,
  isPodFailed,
  isSuspended,
  replacesFailedOnly,
  type StoredJob,
  validIndexOf,
} from "./job.ts";
import { matchFailurePolicy, matchSuccess } from "./policies.ts";
import { failureCounts, indexesOf, type JobView } from "./view.ts";

/** Most pods created or deleted in one reconcile (`MaxPodCreateDeletePerSync`). */
export const podsPerReconcileMax = 500;

/** Builds a condition with status True whose times are `now`. */
export function trueCondition(
  type: string,
  { reason, message, now }: { readonly reason: string; readonly message: string; readonly now: number },
): JobCondition {
  const time = formatTime(now);
  return { type, status: "True", lastProbeTime: time, lastTransitionTime: time, reason, message };
}

/**
 * Returns the condition that ends a Job; undefined while it goes on: `SuccessCriteriaMet`, `FailureTarget`, or
 * `Failed` when `FailureTarget` was written before.
 *
 * The order is that of `syncJob`: conditions already written, then failures, then the success policy. Whether all
 * completions are reached is decided later, when no pod is active any more ({@link isComplete}).
 */
export function decideOutcome(view: JobView): DeepReadonly<JobCondition> | undefined {
  const { job, now } = view;
  const { conditions } = job.status ?? {};
  const met = conditionOf(conditions, "SuccessCriteriaMet");
  if (met?.status === "True") return met;
  const target = conditionOf(conditions, "FailureTarget");
  if (target?.status === "True") {
    return trueCondition("Failed", { reason: target.reason ?? "", message: target.message ?? "", now });
  }
  const failure = failureOf(view);
  if (failure !== undefined) return trueCondition("FailureTarget", { ...failure, now });
  if (!isIndexed(job)) return undefined;
  const { successPolicy, completions = 0 } = job.spec ?? {};
  const message = matchSuccess(successPolicy, { completions, succeeded: view.completed });
  if (message === undefined) return undefined;
  return trueCondition("SuccessCriteriaMet", { reason: "SuccessPolicy", message, now });
}

/** Returns why a Job fails; undefined when it does not. */
function failureOf(view: JobView): { readonly reason: string; readonly message: string } | undefined {
  const { job, pods, failed, failedIndexes, completed } = view;
  const { podFailurePolicy, backoffLimit = 6, maxFailedIndexes, completions = 0 } = job.spec ?? {};
  const message = pods
    .filter((pod) => podFailurePolicy !== undefined && isPodFailed(pod, job))
    .map((pod) => matchFailurePolicy(podFailurePolicy, pod).message)
    .find((text) => text !== undefined);
  if (message !== undefined) return { reason: "PodFailurePolicy", message };
  if (failed > backoffLimit || hasRestartedTooOften(job, pods)) {
    return { reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit" };
  }
  if (msToDeadline(view) === 0) {
    return { reason: "DeadlineExceeded", message: "Job was active longer than specified deadline" };
  }
  if (failedIndexes === undefined) return undefined;
  const lost = sizeOf(failedIndexes);
  if (maxFailedIndexes !== undefined && lost > maxFailedIndexes) {
    const text = "Job has exceeded the specified maximal number of failed indexes";
    return { reason: "MaxFailedIndexesExceeded", message: text };
  }
  if (lost > 0 && lost + sizeOf(completed) >= completions) {
    return { reason: "FailedIndexes", message: "Job has failed indexes" };
  }
  return undefined;
}

/**
 * Reports whether the containers restarted too often. With `restartPolicy: OnFailure` pods do not fail, so container
 * restarts count against `backoffLimit` (`pastBackoffLimitOnFailure`).
 */
function hasRestartedTooOften({ spec }: StoredJob, pods: readonly StoredPod[]): boolean {
  if (spec?.template.spec?.restartPolicy !== "OnFailure") return false;
  const running = pods.filter(({ status }) => status?.phase === "Running" || status?.phase === "Pending");
  const statuses = running.flatMap(({ status }) => [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ]);
  const restarts = statuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
  const { backoffLimit = 6 } = spec;
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
}

/**
 * Returns the time until `activeDeadlineSeconds` expires; undefined without a deadline, or while the Job is
 * suspended.
 */
export function msToDeadline({ job, now }: Pick<JobView, "job" | "now">): number | undefined {
  const { activeDeadlineSeconds } = job.spec ?? {};
  if (activeDeadlineSeconds === undefined || isSuspended(job)) return undefined;
  const { startTime } = job.status ?? {};
  if (startTime === undefined) return activeDeadlineSeconds * 1000;
  return Math.max(0, parseTime(startTime) + activeDeadlineSeconds * 1000 - now);
}

/** The decision about the number of pods. */
export type PodPlan =
  | { readonly type: "nothing" }
  | { readonly type: "delete"; readonly pods: readonly StoredPod[] }
  /** Pods are missing, but the back-off after a failure has not passed. */
  | { readonly type: "wait"; readonly ms: number }
  /** For an Indexed Job one pod per index, otherwise `count` pods. */
  | { readonly type: "create"; readonly count: number; readonly indexes?: readonly number[] };

/**
 * Decides how many pods of an unfinished Job to create or delete (`manageJob`). A reconcile never does both: it
 * deletes first.
 */
export function planPods(view: JobView): PodPlan {
  const { job, active } = view;
  if (isSuspended(job)) return active.length === 0 ? { type: "nothing" } : { type: "delete", pods: active };
  const desired = desiredActive(view);
  const surplus = podsForRemoval(job, active, Math.max(0, active.length - desired)).slice(0, podsPerReconcileMax);
  if (surplus.length > 0) return { type: "delete", pods: surplus };
  const missing = desired - active.length - (replacesFailedOnly(job) ? view.terminating : 0);
  return missing <= 0 ? { type: "nothing" } : planCreation(view, Math.min(missing, podsPerReconcileMax));
}

/** Returns how many pods should be active. Without `completions`, no pod is added after the first success. */
function desiredActive({ job, active, succeeded }: JobView): number {
  const { completions, parallelism = 1 } = job.spec ?? {};
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

function planCreation(view: JobView, count: number): PodPlan {
  const { job, record, now, held } = view;
  const { backoffLimitPerIndex, completions = 0 } = job.spec ?? {};
  const isPerIndex = backoffLimitPerIndex !== undefined;
  const ms = isPerIndex ? 0 : remainingMs(record, now);
  if (ms > 0) return { type: "wait", ms };
  if (!isIndexed(job)) return { type: "create", count };
  const indexes = firstMissing(takenIndexes(view), { count, completions });
  if (!isPerIndex) return { type: "create", count: indexes.length, indexes };
  const waits = indexes.map((index) => ({ index, ms: heldMs(held.get(index), now) }));
  const due = waits.filter((wait) => wait.ms === 0).map(({ index }) => index);
  if (due.length === 0 && waits.length > 0) return { type: "wait", ms: Math.min(...waits.map((wait) => wait.ms)) };
  return { type: "create", count: due.length, indexes: due };
}

/**
 * Returns the indexes that need no pod: completed, failed, active, or terminating where only failed pods are
 * replaced.
 */
function takenIndexes({ job, pods, active, completed, failedIndexes = [] }: JobView): ReturnType<typeof union> {
  const leaving = replacesFailedOnly(job) ? indexesOf(pods.filter(isTerminating)) : [];
  return union(union(completed, failedIndexes), union(indexesOf(active), leaving));
}

/** Returns the remaining back-off of the index of a failed pod. */
function heldMs(pod: StoredPod | undefined, now: number): number {
  if (pod === undefined) return 0;
  const { counted, ignored } = failureCounts(pod);
  return remainingMs({ failures: counted + ignored + 1, lastFailureAt: finishedAt(pod) }, now);
}

/**
 * Returns at least `atLeast` pods to delete, and in an Indexed Job also all pods with no index, with an index outside
 * the range, or with the same index as another pod (`activePodsForRemoval`).
 */
export function podsForRemoval(job: StoredJob, pods: readonly StoredPod[], atLeast: number): readonly StoredPod[] {
  if (!isIndexed(job)) return inDeletionOrder(pods).slice(0, atLeast);
  const removed: StoredPod[] = [];
  const left: StoredPod[] = [];
  const indexes = new Set(inIndexOrder(pods).map((pod) => validIndexOf(pod, job)));
  for (const index of indexes) {
    const group = inDeletionOrder(pods.filter((pod) => validIndexOf(pod, job) === index));
    const kept = index === undefined ? undefined : group.pop();
    removed.push(...group);
    if (kept !== undefined) left.push(kept);
  }
  return [...removed, ...inDeletionOrder(left).slice(0, Math.max(0, atLeast - removed.length))];
}

/** Reports whether all completions are reached and no pod is active. */
export function isComplete({ job, succeeded }: JobView, active: number): boolean {
  const { completions } = job.spec ?? {};
  return active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
}

/** Returns the pods sorted by index, those without an index first. */
export function inIndexOrder(pods: readonly StoredPod[]): readonly StoredPod[] {
  return pods.toSorted((a, b) => (indexOf(a) ?? -1) - (indexOf(b) ?? -1));
}
