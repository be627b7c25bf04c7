import { ArgumentError, type Clock } from "@homeostat/core";
import { Pipeline } from "./pipeline.ts";
import type { Layer, Request } from "./transport.ts";

/** How fast requests may leave. */
export interface RateLimitOptions {
  readonly clock: Clock;
  /** Requests per second in the long run. */
  readonly perSecond: number;
  /** How many may leave at once after a pause. Default twice `perSecond`, and at least one. */
  readonly burst?: number;
  /** Told how long each request waited, for metrics. */
  readonly onWait?: (request: Request, ms: number) => void;
}

/**
 * Holds requests back so that no more than so many leave per second, in the order in which they came.
 *
 * Off unless asked for: the server's own fairness is the better judge.
 */
export function withRateLimit(options: RateLimitOptions): Layer {
  const admit = limiting(options);
  return (next) => new Pipeline(next, { admit });
}

/** The same as {@link withRateLimit}, as a stage of a {@link Pipeline}. */
export function limiting({
  clock,
  perSecond,
  burst,
  onWait,
}: RateLimitOptions): (request: Request) => Promise<void> | undefined {
  const size = burst ?? Math.max(1, perSecond * 2);
  if (!(perSecond > 0) || !(size >= 1)) {
    throw new ArgumentError({
      argument: perSecond > 0 ? "burst" : "perSecond",
      problem: "leaves no request through; perSecond must be more than 0 and burst at least 1.",
    });
  }
  const everyMs = 1000 / perSecond;
  // The time at which the bucket would be full again, as in a virtual queue: one number instead of a running count.
  let fullAt = -Infinity;
  const sleep = async (request: Request, wait: number): Promise<void> => {
    try {
      await clock.sleep(wait, request.signal);
    } catch (error) {
      // It never left, so another may leave in its place.
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
