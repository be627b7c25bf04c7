import type { Clock, Timer } from "@homeostat/core";

/**
 * A single timer for the earliest due time. It may fire early, never late: its callback checks the time and sets it
 * again.
 */
export class Alarm {
  readonly #clock: Clock;
  readonly #onDue: () => void;
  #timer: Timer | undefined;
  #at = Infinity;

  constructor(clock: Clock, onDue: () => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** Makes the timer fire at `at` (monotonic milliseconds) or earlier. `undefined` stops it. */
  set(at: number | undefined): void {
    // Setting a timer costs more than one early callback, so a timer that is early enough is kept.
    if (at !== undefined && at >= this.#at) return;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#at = at ?? Infinity;
    if (at === undefined) return;
    this.#timer = this.#clock.schedule(at - this.#clock.monotonic(), () => {
      this.#timer = undefined;
      this.#at = Infinity;
      this.#onDue();
    });
  }
}
