import { type Clock, ConflictError } from "@homeostat/core";
import { exponentialBackoff, type Logger, maxOf, tokenBucket, WorkQueue } from "@homeostat/runtime";
import { sharedSignals } from "./shared-signal.ts";

/** What a piece of work came to: nothing more to do, again after a time, or again after the queue's growing pauses. */
export type WorkResult = { readonly afterMs: number } | "retry" | undefined | void;

/** How a loop over keys works. */
export interface WorkOptions {
  readonly queue: WorkQueue;
  readonly log: Logger;
  /** How many keys are worked on at once. Default: 1. */
  readonly workers?: number;
}

/** A queue with the pauses of Kubernetes' own controllers: 5 ms doubled up to `capMs`, ten retries a second for all. */
export function controlQueue(name: string, clock: Clock, capMs = 1_000_000): WorkQueue {
  return new WorkQueue({
    name,
    clock,
    retry: maxOf(exponentialBackoff({ baseMs: 5, capMs }), tokenBucket({ perSecond: 10, burst: 100, clock })),
  });
}

/**
 * Works through the keys of a queue until the signal aborts, which closes the queue. What throws is tried again after a
 * pause that grows; a conflict quietly, anything else with a line in the log.
 */
export async function workThrough(
  { queue, log, workers = 1 }: WorkOptions,
  work: (key: string, signal: AbortSignal) => Promise<WorkResult>,
  signal: AbortSignal,
): Promise<void> {
  // Every request that is under way listens to it.
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
        log.warn("Work of a controller failed; trying again", { queue: queue.name, key: item.key, error });
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  signal.removeEventListener("abort", stop);
}
