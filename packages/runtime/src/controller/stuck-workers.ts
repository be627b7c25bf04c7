import type { Clock } from "@homeostat/core";
import type { Logger } from "../log/logger.ts";
import type { ControllerMeter } from "./controller-metrics.ts";

/** A reconcile that is still running after its signal has aborted. */
export interface StuckReconcile {
  readonly key: string;
  /** Milliseconds since the reconcile started. */
  readonly runningMs: number;
}

/** Dependencies of {@link StuckWorkers}. */
export interface StuckWorkersParts {
  readonly controller: { readonly name: string };
  readonly concurrency: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly meter: Pick<ControllerMeter, "stuck">;
}

/**
 * Tracks the reconciles of a term that do not return, and decides whether their workers are freed.
 *
 * A stuck reconcile is abandoned at first: its worker continues with other keys. At most as many reconciles as there are workers are
 * abandoned, so that a reconciler that always hangs cannot pile up calls without limit; each further stuck reconcile occupies its worker. When
 * all workers are occupied, the controller does nothing any more and only a restart helps: `/livez` fails.
 */
export class StuckWorkers {
  readonly #parts: StuckWorkersParts;
  readonly #stuck = new Map<
    number,
    { readonly key: string; readonly startedAt: number; readonly isAbandoned: boolean }
  >();

  constructor(parts: StuckWorkersParts) {
    this.#parts = parts;
  }

  /** Adds a stuck reconcile. Returns true if it is abandoned and its worker is free. */
  add(id: number, { key, startedAt }: { readonly key: string; readonly startedAt: number }): boolean {
    const { concurrency, meter, log, controller } = this.#parts;
    const abandoned = [...this.#stuck.values()].filter((reconcile) => reconcile.isAbandoned).length;
    const isAbandoned = abandoned < concurrency;
    this.#stuck.set(id, { key, startedAt, isAbandoned });
    meter.stuck(this.#stuck.size);
    if (this.#isBlocked) {
      const stuck = describeStuck(this.#reconciles());
      log.error("All workers are stuck, no object is reconciled", { controller: controller.name, concurrency, stuck });
    }
    return isAbandoned;
  }

  /** Removes a reconcile that has returned. */
  delete(id: number): void {
    const wasBlocked = this.#isBlocked;
    if (!this.#stuck.delete(id)) return;
    const { meter, log, controller } = this.#parts;
    meter.stuck(this.#stuck.size);
    if (wasBlocked && !this.#isBlocked) log.info("Stuck worker returned", { controller: controller.name });
  }

  /** Returns every stuck reconcile, longest first, when they occupy all workers; undefined otherwise. */
  blocked(): readonly StuckReconcile[] | undefined {
    return this.#isBlocked ? this.#reconciles() : undefined;
  }

  get #isBlocked(): boolean {
    const { concurrency } = this.#parts;
    return [...this.#stuck.values()].filter(({ isAbandoned }) => !isAbandoned).length >= concurrency;
  }

  #reconciles(): readonly StuckReconcile[] {
    const now = this.#parts.clock.monotonic();
    return [...this.#stuck.values()]
      .map(({ key, startedAt }) => ({ key, runningMs: now - startedAt }))
      .sort((one, other) => other.runningMs - one.runningMs);
  }
}

/** Maximum number of keys in a message. */
const namedMax = 5;

/** Formats stuck reconciles for messages: `shop/a for 61 s, shop/b for 60 s and 3 more`. */
export function describeStuck(reconciles: readonly StuckReconcile[]): string {
  const named = reconciles
    .slice(0, namedMax)
    .map(({ key, runningMs }) => `${key} for ${Math.floor(runningMs / 1_000)} s`)
    .join(", ");
  return reconciles.length <= namedMax ? named : `${named} and ${reconciles.length - namedMax} more`;
}
