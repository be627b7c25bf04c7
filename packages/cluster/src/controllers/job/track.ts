// How pods are counted, such that none is counted twice and none is lost, wherever the program stops: first the uid of a
// pod is written to the status as not counted yet, then its finalizer is taken away, then the uid is replaced by a count.

import type { DeepReadonly } from "@homeostat/core";
import type { JobCondition, JobStatus, UncountedTerminatedPods } from "@homeostat/kubernetes/batch/v1";
import type { StoredPod } from "../pods/pod-state.ts";
import { inIndexOrder } from "./decide.ts";
import { formatIndexes, hasIndex, indexesFrom, sizeOf, union } from "./indexes.ts";
import { isIndexed, isPodFailed, isTracked, validIndexOf } from "./job.ts";
import { judgeFailure } from "./policies.ts";
import type { JobView } from "./view.ts";

/** A status while it is worked on. */
export type DraftStatus = DeepReadonly<JobStatus>;

/** How many uids the status has at most, so that it stays small. */
export const uncountedMax = 500;

/** What there is to count. */
export interface Tracked {
  /** The status with the uids of pods that have ended. */
  readonly status: DraftStatus;
  /** The pods whose finalizers may go once that status is written. */
  readonly release: readonly StoredPod[];
  /** Whether there is more than fits into the status: the rest is for the next run. */
  readonly isFull: boolean;
}

/** Adds the pods that have ended to a status. `verdict` is how the Job is decided, if it is. */
export function track(view: JobView, before: DraftStatus, verdict: DeepReadonly<JobCondition> | undefined): Tracked {
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
    if (!mayRelease(view, pod, verdict)) continue;
    const { uid } = pod.metadata;
    const index = validIndexOf(pod, job);
    release.push(pod);
    if (pod.status?.phase === "Succeeded" && !known.failed.has(uid)) {
      // A completed index is in the status once, however many pods completed it.
      if (isByIndex) {
        if (index !== undefined && !hasIndex(view.completedBefore, index)) completed.push(index);
      } else if (!known.succeeded.has(uid)) waiting.succeeded.push(uid);
    } else if (isPodFailed(pod, job) || (verdict !== undefined && verdict.type !== "SuccessCriteriaMet")) {
      const isMeant = !known.failed.has(uid) && (!isByIndex || index !== undefined);
      if (isMeant && judgeFailure(job.spec?.podFailurePolicy, pod).isCounted) waiting.failed.push(uid);
    }
    if (completed.length + waiting.succeeded.length + waiting.failed.length >= uncountedMax) {
      isFull = true;
      break;
    }
  }
  const status = { ...before, uncountedTerminatedPods: uncountedOf(waiting) };
  return { status: isByIndex ? withIndexes(status, view, completed) : status, release, isFull };
}

/** Counts the pods of a status that have lost their finalizers: all but those in `held`. */
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

/** How many pods of a status are not counted yet. */
export function uncounted({ uncountedTerminatedPods }: DraftStatus): number {
  const { succeeded = [], failed = [] } = uncountedTerminatedPods ?? {};
  return succeeded.length + failed.length;
}

/** A count of a status; none when it is zero, as the server leaves it away. */
export function countOf<K extends "active" | "succeeded" | "failed">(
  name: K,
  count: number,
): { readonly [N in K]?: number } {
  const counts: { [N in K]?: number } = {};
  if (count > 0) counts[name] = count;
  return counts;
}

/** A pod may go when it has ended or its Job is decided; but one that another takes over from stays until then. */
function mayRelease({ job, held }: JobView, pod: StoredPod, verdict: DeepReadonly<JobCondition> | undefined): boolean {
  if (verdict !== undefined || pod.status?.phase === "Succeeded") return true;
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
