import { nextTurn } from "@homeostat/core";

/**
 * Gives each caller a turn of the event loop of its own.
 *
 * A chain of work that awaits only promises never lets timers and sockets run. A caller that takes a turn before each
 * piece of work lets everything that is ready run first.
 */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves in a turn that no other caller gets. */
  take(): Promise<void> {
    return (this.#last = this.#last.then(nextTurn));
  }
}
