import type { Clock } from "@homeostat/core";

/** Lines of the access log per second, over a longer time. A sandbox under load would otherwise fill the disk of the node. */
const linesPerSecond = 100;
/** Lines that may be written at once. */
const burstMax = 500;

/** Limits the lines of the access log of a proxy, and counts those that were left out. */
export class LogLimit {
  readonly #clock: Pick<Clock, "monotonic">;
  #allowed = burstMax;
  #countedMs: number;
  #dropped = 0;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
    this.#countedMs = clock.monotonic();
  }

  /** Takes one line. Returns false if it must be left out; otherwise the number of lines that were left out since the last one. */
  take(): number | false {
    const now = this.#clock.monotonic();
    this.#allowed = Math.min(burstMax, this.#allowed + ((now - this.#countedMs) * linesPerSecond) / 1_000);
    this.#countedMs = now;
    if (this.#allowed < 1) {
      this.#dropped += 1;
      return false;
    }
    this.#allowed -= 1;
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
