import { ArgumentError } from "@homeostat/core";
import type { RetryLimiter } from "./retry-limiter.ts";

/** Failure history of a key. Times are monotonic milliseconds. */
export interface FailureState {
  /** Number of failures since the last success or `forget`. */
  readonly failures: number;
  /** Number of these that count for the delay: those before which the previous delay was served in full. */
  readonly countedFailures: number;
  /** The delay after the last failure that counts, and its end. */
  readonly delayMs: number;
  readonly retryAt: number;
  /**
   * True if the caller chose the delay instead of the limiter. Then it does not restrict the retries after further
   * failures.
   */
  readonly isCallerDelay?: boolean;
}

/** A failed attempt. */
export interface FailedAttempt {
  readonly key: string;
  /** Failure history before it. */
  readonly before: FailureState | undefined;
  readonly startedAt: number;
  readonly now: number;
  readonly retry: RetryLimiter;
  /** Delay chosen by the caller in place of the limiter's. */
  readonly delayMs?: number | undefined;
}

/**
 * Returns the failure history after a failed attempt, including the time of the retry. Throws if the limiter returns
 * an invalid delay.
 */
export function nextFailure({
  key,
  before,
  startedAt,
  now,
  retry,
  delayMs: callerDelayMs,
}: FailedAttempt): FailureState {
  const failures = (before?.failures ?? 0) + 1;
  if (callerDelayMs !== undefined) {
    const countedFailures = before?.countedFailures ?? 0;
    return { failures, countedFailures, delayMs: callerDelayMs, retryAt: now + callerDelayMs, isCallerDelay: true };
  }
  if (before !== undefined && before.isCallerDelay !== true && startedAt < before.retryAt) {
    // An event brought the key forward before the delay had ended: this failure does not count, and the delay goes on.
    const retryAt = before.retryAt > now ? before.retryAt : now + before.delayMs;
    return { ...before, failures, retryAt };
  }
  const countedFailures = (before?.countedFailures ?? 0) + 1;
  const delayMs = retry({ key, failures: countedFailures });
  if (!Number.isFinite(delayMs) || delayMs < 0) {
    const problem = `returned ${delayMs} for ${key}; a delay must be finite and not negative.`;
    throw new ArgumentError({ argument: "retry", problem });
  }
  return { failures, countedFailures, delayMs, retryAt: now + delayMs };
}
