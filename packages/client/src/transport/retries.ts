import { type Clock, jitter, type Random } from "@homeostat/core";
import type { Layer, Response } from "./transport.ts";

/** How patient to be with a server that asks for patience. */
export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How often one request is sent again. Default 10, as in client-go. */
  readonly retriesMax?: number;
  /** The longest that is waited for one retry. Default one minute. */
  readonly waitMsMax?: number;
  /** Told of every retry, for metrics. */
  readonly onRetry?: (status: number) => void;
}

/**
 * Sends a request again when the server says it is too busy: 429, or a 5xx that comes with `Retry-After`.
 *
 * Such an answer means that nothing was done, so writes are safe to repeat. A broken connection is not: it is left
 * to the caller, who can look whether a write took effect. Watches are left alone; their owner has a backoff of its own.
 */
export function withRetries({ clock, random, retriesMax = 10, waitMsMax = 60_000, onRetry }: RetryOptions): Layer {
  return (next) => ({
    async send(request) {
      for (let attempt = 0; ; attempt += 1) {
        const response = await next.send(request);
        const wait = request.about?.verb === "watch" ? undefined : waitMs(response, clock.now());
        if (wait === undefined || attempt >= retriesMax || wait > waitMsMax) return response;
        response.body.cancel();
        onRetry?.(response.status);
        // Half as much again by chance, or everybody who was turned away comes back at the same moment.
        await clock.sleep(jitter(random, wait, 0.5), request.signal);
      }
    },
  });
}

/** How long the server wants us to wait, or undefined when the answer is final. */
function waitMs({ status, headers }: Response, now: number): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  const value = headers["retry-after"];
  if (value === undefined) return status === 429 ? 1000 : undefined;
  if (/^\d+$/.test(value.trim())) return Number(value) * 1000;
  const time = Date.parse(value);
  return Number.isNaN(time) ? 1000 : Math.max(0, time - now);
}
