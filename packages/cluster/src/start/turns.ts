import { nextTurn } from "@homeostat/core";

/**
 * Hands out turns of the event loop, one to each who asks.
 *
 * Work that awaits nothing but promises keeps timers and sockets waiting for as long as there is any of it. Whoever takes a
 * turn before each piece of work lets everything else that is ready run first.
 */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves in a turn that nobody else is given. */
  take(): Promise<void> {
    return (this.#last = this.#last.then(nextTurn));
  }
}
