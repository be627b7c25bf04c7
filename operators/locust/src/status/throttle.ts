import { isEqual } from "@homeostat/core";
import type { Progress, WorkerStates } from "../api/locust-test.ts";
import { readTime } from "./read-time.ts";

/** The part of a status that changes with every snapshot. */
export interface LivePart {
  readonly progress?: Progress | undefined;
  readonly workers?: WorkerStates | undefined;
}

/** What decides whether a change is worth a write. */
export interface ThrottleInput {
  readonly stored: LivePart;
  readonly next: LivePart;
  /** Whether the number of workers or the condition `LiveStats` changes in the same write, or the snapshot is final. */
  readonly isUrgent: boolean;
}

const pauseMs = 10_000;

/**
 * What of the live numbers goes into the status now: the new ones, or those that are there (21.1).
 *
 * A new state is shown at once, numbers every ten seconds, and a snapshot that says nothing new never.
 */
export function throttled({ stored, next, isUrgent }: ThrottleInput): LivePart {
  if (isEqual(withoutTime(stored), withoutTime(next))) return stored;
  if (isUrgent || stored.progress?.state !== next.progress?.state) return next;
  const last = readTime(stored.progress?.lastUpdated);
  const now = readTime(next.progress?.lastUpdated);
  if (last === undefined || now === undefined) return next;
  // A clock that was set back must not silence the numbers.
  return now - last >= pauseMs || now < last ? next : stored;
}

/** The time alone is no news, and neither is how long a run has taken. */
function withoutTime({ progress, workers }: LivePart): unknown {
  if (progress === undefined) return { workers };
  const { lastUpdated: _, ...rest } = progress;
  return { workers, progress: rest };
}
