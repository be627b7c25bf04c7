import { type Clock, ConflictError } from "@homeostat/core";
import { exponentialBackoff, type Logger, maxOf, tokenBucket, WorkQueue } from "@homeostat/runtime";
import { sharedSignals } from "./shared-signal.ts";

/**
 * The result of processing one key: done (undefined), process again after a delay, or retry with the back-off of the
 * queue.
 */
export type WorkResult = { readonly afterMs: number } | "retry" | undefined | void;

/** Options of {@link workThrough}. */
export interface WorkOptions {
  readonly queue: WorkQueue;
  readonly log: Logger;
  /** Number of keys processed at the same time. Default: 1. */
  readonly workers?: number;
}

/**
 * Builds a queue with client-go's `DefaultTypedControllerRateLimiter`: per key 5 ms, doubled up to `capMs`; for all
 * keys together ten retries per second with a burst of 100.
 */
export function controlQueue(name: string, clock: Clock, capMs = 1_000_000): WorkQueue {
  return new WorkQueue({
    name,
    clock,
    retry: maxOf(exponentialBackoff({ baseMs: 5, capMs }), tokenBucket({ perSecond: 10, burst: 100, clock })),
  });
}

/**
 * Processes the keys of a queue until the signal aborts, which closes the queue. A key whose work throws is retried
 * with back-off; conflicts are expected and not logged, every other error is.
 */
export async function processQueue(
  { queue, log, workers = 1 }: WorkOptions,
  work: (key: string, signal: AbortSignal) => Promise<WorkResult>,
  signal: AbortSignal,
): Promise<void> {
  // Each request in flight listens to the signal.
  const own = sharedSignals()(signal);
  const stop = (): void => queue.close();
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  const worker = async (): Promise<void> => {
    for await (const item of queue.take()) {
      try {
        const result = await work(item.key, own);
        if (result === "retry") {
          queue.fail(item);
          continue;
        }
        queue.forget(item.key);
        queue.done(item);
        if (result !== undefined) queue.addAfter(item.key, result.afterMs);
      } catch (error) {
        queue.fail(item);
        if (own.aborted || error instanceof ConflictError) continue;
        log.warn("Reconcile failed", { queue: queue.name, key: item.key, error });
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  signal.removeEventListener("abort", stop);
}
