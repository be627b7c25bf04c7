import { ArgumentError, type Clock, type Random } from "@homeostat/core";

/** Argument of a {@link RetryLimiter}. */
export interface FailedKey {
  readonly key: string;
  /** Number of consecutive failures that count, including this one: 1 or more. See `WorkQueue.fail`. */
  readonly failures: number;
}

/**
 * Returns the delay in milliseconds before a failed key is retried.
 *
 * Called once for each failure that counts. It need not store keys: the queue does.
 */
export type RetryLimiter = (failed: FailedKey) => number;

/** Options of {@link exponentialBackoff}. */
export interface BackoffOptions {
  /** Delay after the first failure. Default 5 ms. */
  readonly baseMs?: number;
  /** Longest delay. Default 1000 s. */
  readonly capMs?: number;
  /** Factor between consecutive delays. Default 2. */
  readonly factor?: number;
  /** Shortens each delay by a random part of at most this fraction, from 0 (default) to 1. */
  readonly jitter?: { readonly fraction: number; readonly random: Random };
}

/**
 * Returns a limiter whose delays grow with the number of failures. After the `n`-th failure:
 *
 *     delay = min(capMs, baseMs * factor ** (n - 1)) * (1 - fraction * random)
 *
 * where `random` is from 0 up to 1, and `fraction` is 0 without `jitter`. The defaults are those of client-go: 5 ms,
 * 10 ms, 20 ms and so on, 1000 s from the 19th failure on.
 */
export function exponentialBackoff({
  baseMs = 5,
  capMs = 1_000_000,
  factor = 2,
  jitter,
}: BackoffOptions = {}): RetryLimiter {
  if (!(baseMs >= 0) || !(capMs >= baseMs) || capMs === Infinity) {
    const problem = `are ${baseMs} and ${capMs}; baseMs must be at least 0, and capMs finite and at least baseMs.`;
    throw new ArgumentError({ argument: "baseMs, capMs", problem });
  }
  if (!(factor >= 1)) throw new ArgumentError({ argument: "factor", problem: `is ${factor}; it must be at least 1.` });
  const fraction = jitter?.fraction ?? 0;
  if (!(fraction >= 0 && fraction <= 1)) {
    throw new ArgumentError({ argument: "jitter.fraction", problem: `is ${fraction}; it must be from 0 to 1.` });
  }
  return ({ failures }) => {
    // 0 * Infinity is NaN. With a base of 0 there is no delay to grow.
    const delayMs = baseMs === 0 ? 0 : Math.min(capMs, baseMs * factor ** (failures - 1));
    return jitter === undefined ? delayMs : delayMs * (1 - fraction * jitter.random.next());
  };
}

/** Options of {@link tokenBucket}. */
export interface TokenBucketOptions {
  /** Retries per second in the long run. client-go uses 10. */
  readonly perSecond: number;
  /** Retries allowed at once after a quiet period. client-go uses 100. */
  readonly burst: number;
  readonly clock: Clock;
}

/**
 * Returns a limiter on the retries of all keys together: each retry takes a token and waits for one if none is left.
 *
 * Future tokens are promised in turn, so a thousand simultaneous failures are spread over time.
 */
export function tokenBucket({ perSecond, burst, clock }: TokenBucketOptions): RetryLimiter {
  if (!(perSecond > 0) || perSecond === Infinity) {
    throw new ArgumentError({ argument: "perSecond", problem: `is ${perSecond}; it must be finite and above 0.` });
  }
  if (!(burst >= 1)) throw new ArgumentError({ argument: "burst", problem: `is ${burst}; it must be at least 1.` });
  const perMs = perSecond / 1000;
  // Negative if future tokens have been promised.
  let tokens = burst;
  let countedAt = clock.monotonic();
  return () => {
    const now = clock.monotonic();
    tokens = Math.min(burst, tokens + (now - countedAt) * perMs) - 1;
    countedAt = now;
    return tokens >= 0 ? 0 : -tokens / perMs;
  };
}

/**
 * Returns a limiter that returns the longest of several delays. All limiters are called, so a token is taken even if
 * another delay is longer.
 */
export function maxOf(...limiters: readonly RetryLimiter[]): RetryLimiter {
  return (failed) => limiters.reduce((delayMs, limiter) => Math.max(delayMs, limiter(failed)), 0);
}
