import type { Clock } from "@homeostat/core";

/** How long keys may be handed out before everything else in the program gets a turn. */
const turnMsMax = 20;

/**
 * Lets the event loop turn while work goes on without a pause.
 *
 * A reconciler that finds everything as it should be waits for nothing, and a worker that takes its next key at once never
 * lets a timer run: a hundred thousand such keys would cost the process its lease.
 */
export class Breather {
  readonly #clock: Clock;
  /** When the present turn began, as far as we have seen; `undefined` once it is over. */
  #turnStartedAt: number | undefined;
  #nextTurn: Promise<void> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Something to wait for when the present turn of the event loop has been long; `undefined` when it has not. */
  pause(): Promise<void> | undefined {
    const now = this.#clock.monotonic();
    if (this.#turnStartedAt !== undefined) return now - this.#turnStartedAt < turnMsMax ? undefined : this.#nextTurn;
    this.#turnStartedAt = now;
    this.#nextTurn = new Promise((resolve) => {
      this.#clock.schedule(0, () => {
        this.#turnStartedAt = undefined;
        resolve();
      });
    });
    return undefined;
  }
}
