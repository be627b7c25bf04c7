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
  /** Whether the delay was given by the caller instead of the limiter. It does not bind the failures that follow. */
  readonly isGiven?: boolean;
}

/** A run that failed. */
export interface FailedRun {
  readonly key: string;
  /** How things stood before it. */
  readonly before: FailureState | undefined;
  readonly startedAt: number;
  readonly now: number;
  readonly retry: RetryLimiter;
  /** The delay before the retry, in place of the limiter's. */
  readonly delayMs?: number | undefined;
}

/** How things stand after a failure, and so when to try again. Throws when the limiter returns what is no delay. */
export function nextFailure({ key, before, startedAt, now, retry, delayMs: given }: FailedRun): FailureState {
  const failures = (before?.failures ?? 0) + 1;
  if (given !== undefined) {
    const countedFailures = before?.countedFailures ?? 0;
    return { failures, countedFailures, delayMs: given, retryAt: now + given, isGiven: true };
  }
  if (before !== undefined && before.isGiven !== true && startedAt < before.retryAt) {
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
