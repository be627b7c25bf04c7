// Counts each finished pod exactly once, even if the process stops at any point (KEP-2307,
// `trackJobStatusAndRemoveFinalizers` in job_controller.go):
//
// 1. The uid of the pod is written to `status.uncountedTerminatedPods`.
// 2. The finalizer of the pod is removed.
// 3. The uid is removed from the status and the count increased, in one update.
//
// A pod cannot disappear before step 1, because its finalizer holds it. After a crash between the steps, the uid
// tells that the pod still has to be counted; a uid whose pod no longer has the finalizer is past step 2 and goes to
// step 3.

import type { DeepReadonly } from "@homeostat/core";
import type { JobCondition, JobStatus, UncountedTerminatedPods } from "@homeostat/kubernetes/batch/v1";
import type { StoredPod } from "../pods/pod-state.ts";
import { inIndexOrder } from "./decide.ts";
import { formatIndexes, hasIndex, indexesFrom, sizeOf, union } from "./indexes.ts";
import { isIndexed, isPodFailed, isTracked, validIndexOf } from "./job.ts";
import { matchFailurePolicy } from "./policies.ts";
import type { JobView } from "./view.ts";

/** A status before it is written. */
export type DraftStatus = DeepReadonly<JobStatus>;

/** Most uids in `uncountedTerminatedPods`, which limits the size of the object (`MaxUncountedPods`). */
export const uncountedMax = 500;

/** The result of {@link track}. */
export interface Tracked {
  /** The status with the uids of finished pods. */
  readonly status: DraftStatus;
  /** Pods whose finalizers may be removed once the status is written. */
  readonly release: readonly StoredPod[];
  /** True if there are more pods than fit into the status; the rest is left to the next reconcile. */
  readonly isFull: boolean;
}

/**
 * Adds the uids of finished pods to a status (step 1). `outcome` is the condition that ends the Job, if there is one.
 */
export function track(view: JobView, before: DraftStatus, outcome: DeepReadonly<JobCondition> | undefined): Tracked {
  const { job } = view;
  const isByIndex = isIndexed(job);
  const pods = (isByIndex ? inIndexOrder(view.pods) : view.pods).filter(isTracked);
  const waiting = {
    succeeded: [...(before.uncountedTerminatedPods?.succeeded ?? [])],
    failed: [...(before.uncountedTerminatedPods?.failed ?? [])],
  };
  const known = { succeeded: new Set(waiting.succeeded), failed: new Set(waiting.failed) };
  const completed: number[] = [];
  const release: StoredPod[] = [];
  let isFull = false;
  for (const pod of pods) {
    if (!mayRelease(view, pod, outcome)) continue;
    const { uid } = pod.metadata;
    const index = validIndexOf(pod, job);
    release.push(pod);
    if (pod.status?.phase === "Succeeded" && !known.failed.has(uid)) {
      // An index counts once, however many pods completed it; the set of indexes makes the count idempotent without
      // uids.
      if (isByIndex) {
        if (index !== undefined && !hasIndex(view.completedBefore, index)) completed.push(index);
      } else if (!known.succeeded.has(uid)) waiting.succeeded.push(uid);
    } else if (isPodFailed(pod, job) || (outcome !== undefined && outcome.type !== "SuccessCriteriaMet")) {
      const isCountable = !known.failed.has(uid) && (!isByIndex || index !== undefined);
      if (isCountable && matchFailurePolicy(job.spec?.podFailurePolicy, pod).isCounted) waiting.failed.push(uid);
    }
    if (completed.length + waiting.succeeded.length + waiting.failed.length >= uncountedMax) {
      isFull = true;
      break;
    }
  }
  const status = { ...before, uncountedTerminatedPods: uncountedOf(waiting) };
  return { status: isByIndex ? withIndexes(status, view, completed) : status, release, isFull };
}

/** Counts the pods of a status whose finalizers are removed (step 3): all but those in `held`. */
export function settle(status: DraftStatus, held: ReadonlySet<string>): DraftStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const isHeld = (uid: string): boolean => held.has(uid);
  const left = { succeeded: succeeded.filter(isHeld), failed: failed.filter(isHeld) };
  return {
    ...status,
    ...countOf("succeeded", (status.succeeded ?? 0) + succeeded.length - left.succeeded.length),
    ...countOf("failed", (status.failed ?? 0) + failed.length - left.failed.length),
    uncountedTerminatedPods: uncountedOf(left),
  };
}

/** Returns the number of pods in a status that are not counted yet. */
export function uncounted({ uncountedTerminatedPods }: DraftStatus): number {
  const { succeeded = [], failed = [] } = uncountedTerminatedPods ?? {};
  return succeeded.length + failed.length;
}

/**
 * Returns a count for a status; nothing for zero, because the API server omits zeros and the comparison would differ.
 */
export function countOf<K extends "active" | "succeeded" | "failed">(
  name: K,
  count: number,
): { readonly [N in K]?: number } {
  const counts: { [N in K]?: number } = {};
  if (count > 0) counts[name] = count;
  return counts;
}

/**
 * Reports whether the finalizer of a pod may be removed: the pod is finished, or the Job has ended. A failed pod
 * whose failure count its replacement must take over is kept until the replacement exists.
 */
function mayRelease({ job, held }: JobView, pod: StoredPod, outcome: DeepReadonly<JobCondition> | undefined): boolean {
  if (outcome !== undefined || pod.status?.phase === "Succeeded") return true;
  if (!isPodFailed(pod, job)) return false;
  const index = validIndexOf(pod, job);
  return index === undefined || held.get(index)?.metadata.uid !== pod.metadata.uid;
}

function withIndexes(status: DraftStatus, view: JobView, completed: readonly number[]): DraftStatus {
  const all = union(view.completedBefore, indexesFrom(completed));
  const { succeeded: _, completedIndexes: __, ...rest } = status;
  const text = formatIndexes(all);
  return {
    ...rest,
    ...countOf("succeeded", sizeOf(all)),
    ...(text === "" ? {} : { completedIndexes: text }),
    ...(view.failedIndexes === undefined ? {} : { failedIndexes: formatIndexes(view.failedIndexes) }),
  };
}

function uncountedOf({ succeeded, failed }: { succeeded: string[]; failed: string[] }): UncountedTerminatedPods {
  return { ...(succeeded.length === 0 ? {} : { succeeded }), ...(failed.length === 0 ? {} : { failed }) };
}
