import type { Snapshot } from "./live-stats.ts";
import { isOver } from "./is-over.ts";
import { totalOf } from "./rows.ts";

/** What the snapshots of a run add up to. */
export interface RunCourse {
  /** When users were first seen; milliseconds since 1970. */
  readonly begunAt: number | undefined;
  readonly peakUsers: number;
  /** How many workers the run has, or ended with: they leave then. Undefined when the master does not tell. */
  readonly workers: number | undefined;
  /** Set while the run is over: how often that was seen, and since when the number of requests is what it is. */
  readonly stopped: { readonly polls: number; readonly requests: number; readonly since: number } | undefined;
  /** Whether the newest snapshot is final. */
  readonly isFinal: boolean;
}

/** A run of which nothing was seen yet. */
export const unseenRun: RunCourse = {
  begunAt: undefined,
  peakUsers: 0,
  workers: undefined,
  stopped: undefined,
  isFinal: false,
};

const restMs = 4_000;
const pollsMax = 3;

/**
 * Takes in a snapshot, at a moment of a clock that only ever grows.
 *
 * A snapshot is final when the run is over and its requests have not changed for four seconds, since workers report every three, or
 * when it is the third of a run that is over (21.3).
 */
export function advance(course: RunCourse, snapshot: Snapshot, monotonicMs: number): RunCourse {
  const { state, userCount } = snapshot;
  const requests = totalOf(snapshot)?.requests ?? 0;
  const begunAt = course.begunAt ?? (state === "spawning" || state === "running" ? snapshot.at : undefined);
  const peakUsers = Math.max(course.peakUsers, userCount);
  const { workerCount } = snapshot;
  if (!isOver(snapshot, begunAt)) {
    return { begunAt, peakUsers, workers: workerCount, stopped: undefined, isFinal: false };
  }
  const workers = workerCount === undefined ? course.workers : Math.max(workerCount, course.workers ?? 0);
  const before = course.stopped;
  const since = before?.requests === requests ? before.since : monotonicMs;
  const stopped = { polls: (before?.polls ?? 0) + 1, requests, since };
  return { begunAt, peakUsers, workers, stopped, isFinal: stopped.polls >= pollsMax || monotonicMs - since >= restMs };
}

/** Whether the end of a run is near enough to look more often. */
export function isEnding({ begunAt, stopped, isFinal }: RunCourse, snapshot: Snapshot): boolean {
  if (isFinal) return false;
  return (
    stopped !== undefined || (begunAt !== undefined && (snapshot.state === "stopping" || snapshot.state === "cleanup"))
  );
}
