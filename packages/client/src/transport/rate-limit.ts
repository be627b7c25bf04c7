import type { Clock } from "@homeostat/core";
import type { Layer } from "./transport.ts";

/** How fast requests may leave. */
export interface RateLimitOptions {
  readonly clock: Clock;
  /** Requests per second in the long run. */
  readonly perSecond: number;
  /** How many may leave at once after a pause. Default twice `perSecond`. */
  readonly burst?: number;
  /** Told how long each request waited, for metrics. */
  readonly onWait?: (ms: number) => void;
}

/**
 * Holds requests back so that no more than so many leave per second. Off unless asked for: the server's own fairness is
 * the better judge. Requests leave in the order they came.
 */
export function withRateLimit({ clock, perSecond, burst = perSecond * 2, onWait }: RateLimitOptions): Layer {
  // The time at which the bucket would be full again, as in a virtual queue: one number instead of a running count.
  let fullAt = -Infinity;
  return (next) => ({
    async send(request) {
      const now = clock.monotonic();
      fullAt = Math.max(fullAt, now) + 1000 / perSecond;
      const wait = fullAt - now - (burst * 1000) / perSecond;
      if (wait > 0) {
        await clock.sleep(wait, request.signal);
      }
      onWait?.(Math.max(0, wait));
      return next.send(request);
    },
  });
}
