import { hasEnded, type Snapshot, totalOf } from "./snapshot.ts";

/** State derived from all snapshots of a run so far. */
export interface RunState {
  /** Time at which users were first observed, in milliseconds since 1970. */
  readonly startedAt: number | undefined;
  readonly peakUsers: number;
  /** Connected workers, or the largest number since the end of the run; undefined when the master does not report it. */
  readonly workers: number | undefined;
  /** Set once the run has ended: number of polls since then, and since when (monotonic) the number of requests is unchanged. */
  readonly stopped: { readonly polls: number; readonly requests: number; readonly since: number } | undefined;
  readonly isFinal: boolean;
}

/** The state before the first snapshot. */
export const initialRunState: RunState = {
  startedAt: undefined,
  peakUsers: 0,
  workers: undefined,
  stopped: undefined,
  isFinal: false,
};

/** Workers report every three seconds, so after this time all reports have arrived. */
const unchangedMs = 4_000;
const pollsMax = 3;

/**
 * Returns the state after a snapshot that was taken at a monotonic time.
 *
 * Rule FinalSnapshot: a snapshot is final when the run has ended and the number of requests is unchanged for four seconds, or
 * when it is the third one since the end.
 */
export function advance(previous: RunState, snapshot: Snapshot, monotonicMs: number): RunState {
  const { state, userCount, workerCount } = snapshot;
  const startedAt = previous.startedAt ?? (state === "spawning" || state === "running" ? snapshot.at : undefined);
  const peakUsers = Math.max(previous.peakUsers, userCount);
  if (!hasEnded(snapshot, startedAt)) {
    return { startedAt, peakUsers, workers: workerCount, stopped: undefined, isFinal: false };
  }
  const workers = workerCount === undefined ? previous.workers : Math.max(workerCount, previous.workers ?? 0);
  const requests = totalOf(snapshot)?.requests ?? 0;
  const before = previous.stopped;
  const since = before?.requests === requests ? before.since : monotonicMs;
  const polls = (before?.polls ?? 0) + 1;
  const isFinal = polls >= pollsMax || monotonicMs - since >= unchangedMs;
  return { startedAt, peakUsers, workers, stopped: { polls, requests, since }, isFinal };
}

/** Reports whether the end of a run is near, so that the master is polled more often. */
export function isEnding({ startedAt, stopped, isFinal }: RunState, { state }: Snapshot): boolean {
  if (isFinal) return false;
  return stopped !== undefined || (startedAt !== undefined && (state === "stopping" || state === "cleanup"));
}
