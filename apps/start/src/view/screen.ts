import type { Clock } from "@homeostat/core";

/** Where text goes: a terminal, or a file. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** How often a file is told of what a terminal renews in place. */
const filePauseMs = 2_000;
const clearLine = "\r\u001B[2K";

/**
 * Lines that stay, and below them one that is renewed in place.
 *
 * A file has no place to renew: there the last line is written again when it says something new, every two seconds at
 * most.
 */
export class Screen {
  readonly #output: Output;
  readonly #clock: Clock;
  #live = "";
  #written = -Infinity;

  constructor(output: Output, clock: Clock) {
    this.#output = output;
    this.#clock = clock;
  }

  /** Writes a line that stays. */
  line(text = ""): void {
    if (this.#isTerminal && this.#live !== "") this.#output.write(clearLine);
    this.#output.write(`${text}\n`);
    if (this.#isTerminal && this.#live !== "") this.#output.write(this.#cut(this.#live));
  }

  /** Says what is true now, until the next call; an empty text says nothing. */
  live(text: string): void {
    if (text === this.#live) return;
    if (this.#isTerminal) {
      this.#output.write(`${clearLine}${this.#cut(text)}`);
      this.#live = text;
      return;
    }
    const now = this.#clock.monotonic();
    if (text === "" || now - this.#written < filePauseMs) return;
    this.#live = text;
    this.#written = now;
    this.#output.write(`${text}\n`);
  }

  get #isTerminal(): boolean {
    return this.#output.isTTY === true;
  }

  /** A line that is too long would be wrapped, and its first half could not be taken back. */
  #cut(text: string): string {
    return text.slice(0, Math.max(20, (this.#output.columns ?? 80) - 1));
  }
}
