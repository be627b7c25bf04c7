import type { Clock } from "@homeostat/core";
import type { Logger } from "../log/logger.ts";
import type { ControllerMeter } from "./controller-metrics.ts";

/** A reconcile that has not returned although its signal has aborted. */
export interface StuckReconcile {
  readonly key: string;
  /** Milliseconds since the reconcile started. */
  readonly runningMs: number;
}

/** The part of a term that {@link StuckWorkers} reads. */
export interface StuckWorkersParts {
  readonly controller: { readonly name: string };
  readonly concurrency: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly meter: Pick<ControllerMeter, "stuck">;
}

/**
 * Counts the reconciles of a term that do not return, and decides what they cost.
 *
 * A stuck reconcile is abandoned first: its worker takes up other keys. As many as there are workers may be abandoned; each further
 * one keeps its worker. When it keeps the last one, the controller does nothing any more, and only a restart helps: `/livez` fails.
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

  /** Notes a stuck reconcile. Returns whether it is abandoned, so that its worker is free. */
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

  /** Notes that a reconcile has returned after all. */
  delete(id: number): void {
    const wasBlocked = this.#isBlocked;
    if (!this.#stuck.delete(id)) return;
    const { meter, log, controller } = this.#parts;
    meter.stuck(this.#stuck.size);
    if (wasBlocked && !this.#isBlocked) log.info("A stuck worker has returned", { controller: controller.name });
  }

  /** Returns every stuck reconcile when no worker is left, the longest first; undefined when the controller still works. */
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

/** So many keys are named in messages. */
const namedMax = 5;

/** Formats stuck reconciles for people: `shop/a for 61 s, shop/b for 60 s and 3 more`. */
export function describeStuck(reconciles: readonly StuckReconcile[]): string {
  const named = reconciles
    .slice(0, namedMax)
    .map(({ key, runningMs }) => `${key} for ${Math.floor(runningMs / 1_000)} s`)
    .join(", ");
  return reconciles.length <= namedMax ? named : `${named} and ${reconciles.length - namedMax} more`;
}
