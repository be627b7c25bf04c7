import { hasEnded, type Snapshot, totalOf } from "./snapshot.ts";

/** What the snapshots of a run add up to. */
export interface RunCourse {
  /** When users were first seen, in milliseconds since 1970. */
  readonly begunAt: number | undefined;
  readonly peakUsers: number;
  /** Connected workers, or the largest number since the end of the run; undefined when the master does not report it. */
  readonly workers: number | undefined;
  /** Set once the run has ended: the number of polls since, and since when the number of requests is unchanged. */
  readonly stopped: { readonly polls: number; readonly requests: number; readonly since: number } | undefined;
  readonly isFinal: boolean;
}

export const unseenRun: RunCourse = {
  begunAt: undefined,
  peakUsers: 0,
  workers: undefined,
  stopped: undefined,
  isFinal: false,
};

/** Workers report every three seconds. */
const unchangedMs = 4_000;
const pollsMax = 3;

/**
 * Returns the course after a snapshot that was taken at a monotonic time.
 *
 * Rule FinalSnapshot: a snapshot is final when the run has ended and the number of requests is unchanged for four seconds, or
 * when it is the third one since the end.
 */
export function advance(course: RunCourse, snapshot: Snapshot, monotonicMs: number): RunCourse {
  const { state, userCount, workerCount } = snapshot;
  const begunAt = course.begunAt ?? (state === "spawning" || state === "running" ? snapshot.at : undefined);
  const peakUsers = Math.max(course.peakUsers, userCount);
  if (!hasEnded(snapshot, begunAt)) {
    return { begunAt, peakUsers, workers: workerCount, stopped: undefined, isFinal: false };
  }
  const workers = workerCount === undefined ? course.workers : Math.max(workerCount, course.workers ?? 0);
  const requests = totalOf(snapshot)?.requests ?? 0;
  const before = course.stopped;
  const since = before?.requests === requests ? before.since : monotonicMs;
  const polls = (before?.polls ?? 0) + 1;
  const isFinal = polls >= pollsMax || monotonicMs - since >= unchangedMs;
  return { begunAt, peakUsers, workers, stopped: { polls, requests, since }, isFinal };
}

/** Reports whether the end of a run is near, so that the master is polled more often. */
export function isEnding({ begunAt, stopped, isFinal }: RunCourse, { state }: Snapshot): boolean {
  if (isFinal) return false;
  return stopped !== undefined || (begunAt !== undefined && (state === "stopping" || state === "cleanup"));
}
