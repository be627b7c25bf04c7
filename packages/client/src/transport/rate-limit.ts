import { ArgumentError, type Clock } from "@homeostat/core";
import { Pipeline } from "./pipeline.ts";
import type { Layer, Request } from "./transport.ts";

/** Options of {@link withRateLimit}. */
export interface RateLimitOptions {
  readonly clock: Clock;
  /** The average number of requests per second (QPS). */
  readonly perSecond: number;
  /** The number of requests that may be sent at once after a pause. Default twice `perSecond`, and at least one. */
  readonly burst?: number;
  /** Called with the time that each request waited, for metrics. */
  readonly onWait?: (request: Request, ms: number) => void;
}

/**
 * Returns a layer that delays requests to stay within a rate, in FIFO order.
 *
 * Off by default: API Priority and Fairness in the server knows better which requests to delay.
 */
export function withRateLimit(options: RateLimitOptions): Layer {
  const throttle = rateLimitStage(options);
  return (next) => new Pipeline(next, { throttle });
}

/** Returns the layer of {@link withRateLimit} as a stage of a {@link Pipeline}. */
export function rateLimitStage({
  clock,
  perSecond,
  burst,
  onWait,
}: RateLimitOptions): (request: Request) => Promise<void> | undefined {
  const size = burst ?? Math.max(1, perSecond * 2);
  if (!(perSecond > 0) || !(size >= 1)) {
    throw new ArgumentError({
      argument: perSecond > 0 ? "burst" : "perSecond",
      problem: "allows no request; perSecond must be greater than 0 and burst at least 1.",
    });
  }
  const everyMs = 1000 / perSecond;
  // A token bucket in one number: the time at which the bucket would be full again.
  let fullAt = -Infinity;
  const sleep = async (request: Request, wait: number): Promise<void> => {
    try {
      await clock.sleep(wait, request.signal);
    } catch (error) {
      // The request was not sent, so return its token.
      fullAt -= everyMs;
      throw error;
    }
    onWait?.(request, wait);
  };
  return (request) => {
    request.signal?.throwIfAborted();
    const now = clock.monotonic();
    fullAt = Math.max(fullAt, now) + everyMs;
    const wait = fullAt - now - size * everyMs;
    if (wait > 0) return sleep(request, wait);
    onWait?.(request, 0);
    return undefined;
  };
}
