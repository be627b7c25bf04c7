import { type Clock, jitter, type Random, readRetryAfter } from "@homeostat/core";
import { Pipeline } from "./pipeline.ts";
import { isStream, isWrite, type Layer, type Request, type Response } from "./transport.ts";

/** Options of {@link withRetries}. */
export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The maximum number of retries of one request. Default 10, as in client-go. */
  readonly retriesMax?: number;
  /** The maximum wait before a retry. If the server asks for more, its response is returned. Default one minute. */
  readonly waitMsMax?: number;
  /** Called before every retry, for metrics. */
  readonly onRetry?: (request: Request, response: Response) => void;
}

/** The minimum wait, also for `Retry-After: 0`. */
const waitMsMin = 100;

/**
 * Returns a layer that retries requests when the server asks for it with a `Retry-After` header: any request after a 429, which
 * means that nothing was done, and reads after a 5xx.
 *
 * After a 5xx or a broken connection a write may have taken effect. These are left to the caller, who can read the object first.
 * (client-go retries the write, which with `generateName` creates two objects.) A response without `Retry-After` is final too,
 * such as the 429 for an eviction that a PodDisruptionBudget does not allow.
 */
export function withRetries(options: RetryOptions): Layer {
  return (next) => new Pipeline(next, { retry: retryStage(options) });
}

/** Returns the layer of {@link withRetries} as a stage of a {@link Pipeline}. */
export function retryStage({
  clock,
  random,
  retriesMax = 10,
  waitMsMax = 60_000,
  onRetry,
}: RetryOptions): (request: Request, response: Response, attempt: number) => Promise<void> | undefined {
  return (request, response, attempt) => {
    const wait = isRetryRequested(request, response) ? readRetryAfter(response.headers, clock.now()) : undefined;
    if (wait === undefined || attempt >= retriesMax || wait > waitMsMax) return undefined;
    response.body.cancel();
    onRetry?.(request, response);
    // Up to 50 % jitter, or all clients that were throttled together would retry at the same moment.
    return clock.sleep(jitter(random, Math.max(waitMsMin, wait), 0.5), request.signal);
  };
}

function isRetryRequested(request: Request, { status }: Response): boolean {
  if (!(request.isRetried ?? !isStream(request))) return false;
  return status === 429 || (status >= 500 && !isWrite(request));
}
