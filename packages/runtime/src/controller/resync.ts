import type { Clock, Random } from "@homeostat/core";
import { initialListPriority } from "../queue/queue-item.ts";
import type { Controller } from "./definition.ts";
import type { Trigger } from "./follow.ts";
import type { ControllerInformers } from "./informers.ts";

/** Dependencies of {@link resync}. */
export interface ResyncParts {
  readonly controller: Controller;
  readonly informers: ControllerInformers;
  readonly clock: Clock;
  readonly random: Random;
}

/** Receiver of the keys of a resync. */
export interface ResyncTarget {
  enqueue(key: string, trigger: Trigger): void;
  /** Reports whether a key waits for its backoff or for a change of its object. Such keys are not enqueued. */
  isHeldBack(key: string): boolean;
}

/**
 * Enqueues every primary object at the interval `resyncMs` of the definition; returns at once without one.
 *
 * It reads the cache and sends no request, as in client-go. It therefore does not repair a cache that has missed an event: the ledger detects such
 * contradictions and causes a new list. A resync is for controllers that depend on state that no watch reports. The jitter of 10 % keeps the
 * controllers of a program, which start together, from resyncing at the same moment.
 */
export async function resync(
  { controller, informers, clock, random }: ResyncParts,
  target: ResyncTarget,
  signal: AbortSignal,
): Promise<void> {
  const { resyncMs } = controller.definition;
  if (resyncMs === undefined) return;
  while (!signal.aborted) {
    await sleepUnless(signal, { clock, ms: Math.round(resyncMs * (0.9 + 0.2 * random.next())) });
    if (signal.aborted) return;
    for (const key of informers.primary.keys()) {
      if (!target.isHeldBack(key)) target.enqueue(key, { reason: "resync", priority: initialListPriority });
    }
  }
}

/** Sleeps; returns early when the signal aborts. */
async function sleepUnless(
  signal: AbortSignal,
  { clock, ms }: { readonly clock: Clock; readonly ms: number },
): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
