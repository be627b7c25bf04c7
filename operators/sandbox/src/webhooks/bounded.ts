// Limits the requests of one admission: their concurrency and their total time.

import { AdmissionDeniedError } from "homeostat";
import { abortable, type Clock, ForbiddenError } from "@homeostat/core";

/** Time within which a webhook responds. The API server waits longer, so users see this response and not its timeout. */
export const responseMsMax = 2_000;

/** Maximum number of requests to the API server that one admission has open. */
export const requestsMax = 10;

/** Runs work with a signal that aborts at the deadline. Throws an `AdmissionDeniedError` if the API server does not respond in time. */
export async function withinDeadline<T>(
  {
    clock,
    signal,
    limitMs = responseMsMax,
  }: { readonly clock: Clock; readonly signal: AbortSignal; readonly limitMs?: number | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  using timeout = clock.timeout(limitMs);
  const stop = new AbortController();
  try {
    const limit = AbortSignal.any([timeout.signal, stop.signal, signal]);
    // Work that ignores its signal must not delay the response.
    return await abortable(work(limit), limit);
  } catch (error) {
    if (error instanceof AdmissionDeniedError) throw error;
    throw notChecked(error, { isTimeout: timeout.signal.aborted, limitMs });
  } finally {
    // Aborts requests that are no longer needed.
    stop.abort();
  }
}

/** Maps items by a function that sends requests, a limited number at a time. Results are in the order of the items. */
export async function mapBounded<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await map(item);
  };
  await Promise.all(Array.from({ length: Math.min(requestsMax, items.length) }, work));
  return results;
}

function notChecked(
  cause: unknown,
  { isTimeout, limitMs }: { readonly isTimeout: boolean; readonly limitMs: number },
): AdmissionDeniedError {
  const why =
    cause instanceof ForbiddenError
      ? "the operator lacks a permission; grant it the permissions of its manifests"
      : isTimeout
        ? `the API server did not respond within ${limitMs / 1000} seconds; retry the request`
        : "a request to the API server failed; retry the request";
  const message = `cannot check whether the object is allowed: ${why}`;
  return new AdmissionDeniedError(message, { code: 503, reason: "ServiceUnavailable" }, { cause });
}
