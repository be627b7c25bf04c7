import { type Clock, formatHttpDate } from "@homeostat/core";

/** The `Date` header of responses, by the server's clock. Formatted at most once per second. */
export class DateHeader {
  readonly #clock: Clock;
  #second = Number.NaN;
  #text = "";

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the header for a response that is sent now. */
  text(): string {
    const now = this.#clock.now();
    const second = Math.floor(now / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = formatHttpDate(now);
    }
    return this.#text;
  }
}
