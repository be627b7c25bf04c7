import type { Clock } from "@homeostat/core";

/** Time for which keys are handed out before the event loop gets a turn. */
const turnMsMax = 20;

/**
 * A guard that forces a turn of the event loop while keys are handed out without interruption.
 *
 * A reconciler that finds nothing to do awaits only resolved promises, and a worker that takes its next key at once
 * never lets a timer run. A hundred thousand such keys would cost the process its leader election lease.
 */
export class EventLoopYielder {
  readonly #clock: Clock;
  /** Time at which the current turn was first observed; `undefined` once it has ended. */
  #turnStartedAt: number | undefined;
  #nextTurn: Promise<void> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns a promise to await if the current turn of the event loop has taken too long; otherwise `undefined`. */
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
