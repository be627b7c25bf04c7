import type { Clock, Timer } from "@homeostat/core";

/** One timer for whatever is due next. It may ring early, never late: who it wakes looks at the time and sets it anew. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #timer: Timer | undefined;
  #at = Infinity;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Makes sure that it rings by `at` (monotonic milliseconds). With `undefined` there is nothing to wait for: no timer. */
  set(at: number | undefined): void {
    // Setting a timer costs more than being woken once too early, so one that is early enough stays.
    if (at !== undefined && at >= this.#at) return;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#at = at ?? Infinity;
    if (at === undefined) return;
    this.#timer = this.#clock.schedule(at - this.#clock.monotonic(), () => {
      this.#timer = undefined;
      this.#at = Infinity;
      this.#ring();
    });
  }
}
