import { ArgumentError } from "@homeostat/core";
import type { RetryLimiter } from "./retry-limiter.ts";

/** How a key has failed. Times are monotonic milliseconds. */
export interface FailureState {
  /** How often, since it last succeeded or was told to forget. */
  readonly failures: number;
  /** How many of these count for the delay: those before which the delay had been waited for. */
  readonly countedFailures: number;
  /** The delay that the last failure that counts led to, and when it ends. */
  readonly delayMs: number;
  readonly retryAt: number;
}

/** A run that failed. */
export interface FailedRun {
  readonly key: string;
  /** How things stood before it. */
  readonly before: FailureState | undefined;
  readonly startedAt: number;
  readonly now: number;
  readonly retry: RetryLimiter;
}

/** How things stand after a failure, and so when to try again. Throws when the limiter returns what is no delay. */
export function nextFailure({ key, before, startedAt, now, retry }: FailedRun): FailureState {
  const failures = (before?.failures ?? 0) + 1;
  if (before !== undefined && startedAt < before.retryAt) {
    // An event came before the delay was over: this failure does not count, and the delay goes on.
    const retryAt = before.retryAt > now ? before.retryAt : now + before.delayMs;
    return { ...before, failures, retryAt };
  }
  const countedFailures = (before?.countedFailures ?? 0) + 1;
  const delayMs = retry({ key, failures: countedFailures });
  if (!Number.isFinite(delayMs) || delayMs < 0) {
    const problem = `said ${delayMs} for ${key}; a delay is a finite number, and not negative.`;
    throw new ArgumentError({ argument: "retry", problem });
  }
  return { failures, countedFailures, delayMs, retryAt: now + delayMs };
}
