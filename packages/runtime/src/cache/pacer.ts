import { type Clock, nextTurn } from "@homeostat/core";

/** Time that synchronous work may take before it yields to the event loop. */
const budgetMsDefault = 8;
/** A gap of this length between two pieces of work means that the event loop had a turn. */
const pauseMs = 1;

/**
 * A time budget that splits long work into short pieces, so that timers and sockets are served in between.
 *
 * Awaiting a promise is not enough: if it is already resolved, only other microtasks run before the work continues.
 *
 * @example
 * for await (const piece of body) {
 *   pacer.begin();
 *   take(piece);
 *   if (pacer.isDue) await pacer.rest();
 * }
 */
export class Pacer {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #budgetMs: number;
  #since: number;
  #last: number;

  constructor(clock: Pick<Clock, "monotonic">, { budgetMs = budgetMsDefault }: { readonly budgetMs?: number } = {}) {
    this.#clock = clock;
    this.#budgetMs = budgetMs;
    this.#since = clock.monotonic();
    this.#last = this.#since;
  }

  /** Marks the start of work, or its continuation after an await. */
  begin(): void {
    const now = this.#clock.monotonic();
    if (now - this.#last > pauseMs) this.#since = now;
    this.#last = now;
  }

  /** True if the time budget is used up. */
  get isDue(): boolean {
    this.#last = this.#clock.monotonic();
    return this.#last - this.#since >= this.#budgetMs;
  }

  /** Yields to the event loop and starts a new budget. */
  async rest(): Promise<void> {
    await nextTurn();
    this.#since = this.#clock.monotonic();
    this.#last = this.#since;
  }
}
