import { nextTurn } from "./turn.ts";

/**
 * A queue for turns of the event loop: each caller gets a turn of its own, in the order of the calls.
 *
 * Work that takes a turn before each of its pieces blocks the event loop for one piece at a time, however many callers
 * there are: timers and sockets that are ready are served before the next piece of any of them. With {@link nextTurn}
 * alone, all callers would continue in the same turn.
 */
export class TurnQueue {
  readonly #nextTurn: () => Promise<void>;
  #last: Promise<void> = Promise.resolve();

  /** @param turn Resolves after the event loop has served sockets and timers. Default {@link nextTurn}. */
  constructor(turn: () => Promise<void> = nextTurn) {
    this.#nextTurn = turn;
  }

  /** Resolves in a turn that no other caller gets. */
  take(): Promise<void> {
    return (this.#last = this.#last.then(this.#nextTurn));
  }
}
