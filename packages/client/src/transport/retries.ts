import { type Clock, jitter, type Random, readRetryAfter } from "@homeostat/core";
import { Pipeline } from "./pipeline.ts";
import { isStream, isWrite, type Layer, type Request, type Response } from "./transport.ts";

/** How patient to be with a server that asks for patience. */
export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How often one request is sent again. Default 10, as in client-go. */
  readonly retriesMax?: number;
  /** The longest that is waited for one retry; a server that asks for more gets its answer passed on. Default one minute. */
  readonly waitMsMax?: number;
  /** Told of every retry, for metrics. */
  readonly onRetry?: (request: Request, response: Response) => void;
}

/** A server that says "at once" still gets a moment. */
const waitMsMin = 100;

/**
 * Sends a request again when the server asks for patience with a `Retry-After`: any request after a 429, which means that
 * nothing was done; reads after a 5xx.
 *
 * After a 5xx a write may have taken effect, as after a broken connection: both are left to the caller, who can look.
 * (client-go repeats the write; with `generateName` that makes two objects.) An answer without `Retry-After` is final too:
 * a disruption budget that forbids an eviction says 429 like this.
 */
export function withRetries(options: RetryOptions): Layer {
  return (next) => new Pipeline(next, { again: retrying(options) });
}

/** The same as {@link withRetries}, as a stage of a {@link Pipeline}. */
export function retrying({
  clock,
  random,
  retriesMax = 10,
  waitMsMax = 60_000,
  onRetry,
}: RetryOptions): (request: Request, response: Response, attempt: number) => Promise<void> | undefined {
  return (request, response, attempt) => {
    const wait = isAskedBack(request, response) ? readRetryAfter(response.headers, clock.now()) : undefined;
    if (wait === undefined || attempt >= retriesMax || wait > waitMsMax) return undefined;
    response.body.cancel();
    onRetry?.(request, response);
    // Half as much again by chance, or everybody who was turned away comes back at the same moment.
    return clock.sleep(jitter(random, Math.max(waitMsMin, wait), 0.5), request.signal);
  };
}

function isAskedBack(request: Request, { status }: Response): boolean {
  if (!(request.isRetried ?? !isStream(request))) return false;
  return status === 429 || (status >= 500 && !isWrite(request));
}
