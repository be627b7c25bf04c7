import type { DeepReadonly } from "@homeostat/core";
import { isActive, isReady, isTerminating, type StoredPod } from "../pods/pod-state.ts";
import { type BackoffRecord, finishedAt, nextRecord } from "./backoff.ts";
import { hasIndex, type Indexes, indexesFrom, parseIndexes, sizeOf, union } from "./indexes.ts";
import {
  failureCountAnnotation,
  ignoredFailureCountAnnotation,
  indexOf,
  isIndexed,
  isPodFailed,
  isTracked,
  type StoredJob,
  validIndexOf,
} from "./job.ts";
import { matchFailurePolicy } from "./policies.ts";

/** A Job and its pods with the counts that decisions are based on. */
export interface JobView {
  readonly job: StoredJob;
  readonly pods: readonly StoredPod[];
  readonly active: readonly StoredPod[];
  readonly ready: number;
  readonly terminating: number;
  /** Number of succeeded pods: counted in the status, uncounted in the status, and observed now. */
  readonly succeeded: number;
  /** The same for failed pods, without those that the pod failure policy ignores. */
  readonly failed: number;
  readonly record: BackoffRecord;
  /** Completed indexes in the status. */
  readonly completedBefore: Indexes;
  /** Completed indexes in the status and of observed pods. Empty for a Job that is not Indexed. */
  readonly completed: Indexes;
  /** Failed indexes; undefined without `backoffLimitPerIndex`. */
  readonly failedIndexes: Indexes | undefined;
  /** Failed pods, by index, that are kept until a replacement exists, which takes over their failure count. */
  readonly held: ReadonlyMap<number, StoredPod>;
  readonly now: number;
}

/** Counts the pods of a Job. Pure function. */
export function viewJob(
  job: StoredJob,
  pods: readonly StoredPod[],
  { record, now }: { readonly record: BackoffRecord; readonly now: number },
): JobView {
  const { status } = job;
  const counted = {
    succeeded: new Set(status?.uncountedTerminatedPods?.succeeded),
    failed: new Set(status?.uncountedTerminatedPods?.failed),
  };
  const isNew = (pod: StoredPod, known: ReadonlySet<string>): boolean =>
    isTracked(pod) && !known.has(pod.metadata.uid) && (!isIndexed(job) || validIndexOf(pod, job) !== undefined);
  const succeeded = pods.filter((pod) => pod.status?.phase === "Succeeded" && isNew(pod, counted.succeeded));
  const failed = pods.filter((pod) => isPodFailed(pod, job) && isNew(pod, counted.failed));
  const active = pods.filter(isActive);
  const indexes = viewIndexes(job, pods, active);
  const countedFailures = failed.filter((pod) => matchFailurePolicy(job.spec?.podFailurePolicy, pod).isCounted).length;
  return {
    job,
    pods,
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
    succeeded: isIndexed(job)
      ? sizeOf(indexes.completed)
      : (status?.succeeded ?? 0) + succeeded.length + counted.succeeded.size,
    failed: (status?.failed ?? 0) + countedFailures + counted.failed.size,
    record: nextRecord(record, { succeeded, failed }),
    ...indexes,
    now,
  };
}

type IndexView = Pick<JobView, "completedBefore" | "completed" | "failedIndexes" | "held">;

function viewIndexes(job: StoredJob, pods: readonly StoredPod[], active: readonly StoredPod[]): IndexView {
  const { completions = 0, backoffLimitPerIndex } = job.spec ?? {};
  if (!isIndexed(job)) return { completedBefore: [], completed: [], failedIndexes: undefined, held: new Map() };
  const tracked = pods.filter(isTracked);
  const completedBefore = parseIndexes(job.status?.completedIndexes ?? "", completions);
  const done = tracked.filter(({ status }) => status?.phase === "Succeeded");
  const completed = union(completedBefore, validIndexes(done, job));
  if (backoffLimitPerIndex === undefined)
    return { completedBefore, completed, failedIndexes: undefined, held: new Map() };
  const lost = tracked.filter((pod) => isIndexFailed(pod, job, backoffLimitPerIndex));
  const failedIndexes = union(parseIndexes(job.status?.failedIndexes ?? "", completions), validIndexes(lost, job));
  const isOpen = (index: number): boolean =>
    !hasIndex(completed, index) && !hasIndex(failedIndexes, index) && !hasIndex(indexesOf(active), index);
  const held = new Map<number, StoredPod>();
  for (const pod of tracked.filter((one) => isPodFailed(one, job))) {
    const index = validIndexOf(pod, job);
    if (index === undefined || !isOpen(index)) continue;
    const before = held.get(index);
    if (before === undefined || isLaterFailure(pod, before)) held.set(index, pod);
  }
  return { completedBefore, completed, failedIndexes, held };
}

/** Returns the indexes of pods, including indexes outside the Job's range. */
export function indexesOf(pods: readonly StoredPod[]): Indexes {
  return indexesFrom(pods.map(indexOf).filter((index) => index !== undefined));
}

/**
 * Returns how often pods of this index failed before this one: failures that count, and failures that the policy
 * ignores.
 */
export function failureCounts({ metadata }: StoredPod): { readonly counted: number; readonly ignored: number } {
  const { annotations } = metadata;
  const counted = countIn(annotations, failureCountAnnotation);
  return { counted, ignored: countIn(annotations, ignoredFailureCountAnnotation) };
}

function isIndexFailed(pod: StoredPod, job: StoredJob, limit: number): boolean {
  if (!isPodFailed(pod, job)) return false;
  const { action, isCounted } = matchFailurePolicy(job.spec?.podFailurePolicy, pod);
  return action === "FailIndex" || (isCounted && failureCounts(pod).counted >= limit);
}

function isLaterFailure(pod: StoredPod, before: StoredPod): boolean {
  const sum = ({ counted, ignored }: { counted: number; ignored: number }): number => counted + ignored;
  return sum(failureCounts(before)) <= sum(failureCounts(pod)) && finishedAt(pod) >= finishedAt(before);
}

function validIndexes(pods: readonly StoredPod[], job: StoredJob): Indexes {
  return indexesFrom(pods.map((pod) => validIndexOf(pod, job)).filter((index) => index !== undefined));
}

function countIn(annotations: DeepReadonly<Record<string, string>> | undefined, key: string): number {
  const text = annotations?.[key] ?? "";
  const count = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return count < 2 ** 31 ? count : 0;
}
