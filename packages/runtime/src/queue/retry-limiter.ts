import { ArgumentError, type Clock, type Random } from "@homeostat/core";

/** What a {@link RetryLimiter} is told. */
export interface FailedKey {
  readonly key: string;
  /** How many failures in a row count, this one included: 1 or more. */
  readonly failures: number;
}

/**
 * Says how many milliseconds a key that failed waits before it is tried again.
 *
 * It is asked once for each failure that counts. It need not remember keys: the queue does.
 */
export type RetryLimiter = (failed: FailedKey) => number;

/** Options of {@link exponentialBackoff}. */
export interface BackoffOptions {
  /** The delay after the first failure. Default 5 ms. */
  readonly baseMs?: number;
  /** The longest delay. Default 1000 s. */
  readonly capMs?: number;
  /** How many times longer each delay is than the one before. Default 2. */
  readonly factor?: number;
  /** Takes a random part off each delay, at most this fraction of it: from 0, the default, to 1. */
  readonly jitter?: { readonly fraction: number; readonly random: Random };
}

/**
 * Delays that grow with the number of failures: after the `n`-th,
 *
 *     delay = min(capMs, baseMs * factor ** (n - 1)) * (1 - fraction * random)
 *
 * where `random` is from 0 up to 1, and `fraction` is 0 unless `jitter` says otherwise. With the defaults, which are
 * client-go's: 5 ms, 10 ms, 20 ms and so on, from the 19th failure on 1000 s.
 */
export function exponentialBackoff({
  baseMs = 5,
  capMs = 1_000_000,
  factor = 2,
  jitter,
}: BackoffOptions = {}): RetryLimiter {
  if (!(baseMs >= 0) || !(capMs >= baseMs) || capMs === Infinity) {
    const problem = `are ${baseMs} and ${capMs}; they must be numbers, not negative, the cap finite and the larger one.`;
    throw new ArgumentError({ argument: "baseMs, capMs", problem });
  }
  if (!(factor >= 1)) throw new ArgumentError({ argument: "factor", problem: `is ${factor}; it must be at least 1.` });
  const fraction = jitter?.fraction ?? 0;
  if (!(fraction >= 0 && fraction <= 1)) {
    throw new ArgumentError({ argument: "jitter.fraction", problem: `is ${fraction}; it must be from 0 to 1.` });
  }
  return ({ failures }) => {
    // 0 times infinity is not a number; with a base of 0 there is no delay to grow.
    const delayMs = baseMs === 0 ? 0 : Math.min(capMs, baseMs * factor ** (failures - 1));
    return jitter === undefined ? delayMs : delayMs * (1 - fraction * jitter.random.next());
  };
}

/** Options of {@link tokenBucket}. */
export interface TokenBucketOptions {
  /** How many retries a second it allows in the long run. client-go takes 10. */
  readonly perSecond: number;
  /** How many it allows at once after a quiet time. client-go takes 100. */
  readonly burst: number;
  readonly clock: Clock;
}

/**
 * Limits the retries of all keys together: each takes a token, and waits for it when there is none.
 *
 * Tokens that are to come are given in turn, so a thousand failures at once are spread over time.
 */
export function tokenBucket({ perSecond, burst, clock }: TokenBucketOptions): RetryLimiter {
  if (!(perSecond > 0) || perSecond === Infinity) {
    throw new ArgumentError({ argument: "perSecond", problem: `is ${perSecond}; it must be finite and above 0.` });
  }
  if (!(burst >= 1)) throw new ArgumentError({ argument: "burst", problem: `is ${burst}; it must be at least 1.` });
  const perMs = perSecond / 1000;
  // Negative when tokens are promised that are still to come.
  let tokens = burst;
  let countedAt = clock.monotonic();
  return () => {
    const now = clock.monotonic();
    tokens = Math.min(burst, tokens + (now - countedAt) * perMs) - 1;
    countedAt = now;
    return tokens >= 0 ? 0 : -tokens / perMs;
  };
}

/** The longest of several delays. Each limiter is asked, so a token is taken even when another delay is longer. */
export function maxOf(...limiters: readonly RetryLimiter[]): RetryLimiter {
  return (failed) => limiters.reduce((delayMs, limiter) => Math.max(delayMs, limiter(failed)), 0);
}
