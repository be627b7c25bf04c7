import { type Clock, nextTurn } from "@homeostat/core";

/** How long work may go on before everybody else gets a turn. */
const budgetMsDefault = 8;
/** A pause of this length was one in which others had their turn. */
const pauseMs = 1;

/**
 * Breaks long work into short pieces, so that timers and sockets are served in between.
 *
 * Waiting for a promise alone does not: if it is resolved already, nothing but other promises gets a turn.
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

  /** Work begins or goes on after waiting for something. */
  begin(): void {
    const now = this.#clock.monotonic();
    if (now - this.#last > pauseMs) this.#since = now;
    this.#last = now;
  }

  /** Whether it is time to let others work. */
  get isDue(): boolean {
    this.#last = this.#clock.monotonic();
    return this.#last - this.#since >= this.#budgetMs;
  }

  /** Lets everything else that is waiting have its turn. */
  async rest(): Promise<void> {
    await nextTurn();
    this.#since = this.#clock.monotonic();
    this.#last = this.#since;
  }
}
