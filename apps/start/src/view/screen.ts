import type { Clock } from "@homeostat/core";

/** Output stream: a terminal, or a file or pipe. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** Shortest time between two status lines in a file. */
const fileIntervalMs = 2_000;
const clearLine = "\r\u001B[2K";

/**
 * Permanent lines and, below them, one status line that is updated in place.
 *
 * A file cannot be updated in place: there a changed status is written as a new line, at most every two seconds.
 */
export class Screen {
  readonly #output: Output;
  readonly #clock: Clock;
  #status = "";
  #lastWrittenAt = -Infinity;

  constructor(output: Output, clock: Clock) {
    this.#output = output;
    this.#clock = clock;
  }

  /** Writes a permanent line. */
  line(text = ""): void {
    if (this.#isTerminal && this.#status !== "") this.#output.write(clearLine);
    this.#output.write(`${text}\n`);
    if (this.#isTerminal && this.#status !== "") this.#output.write(this.#truncate(this.#status));
  }

  /** Replaces the status line; an empty text removes it. */
  live(text: string): void {
    if (text === this.#status) return;
    if (this.#isTerminal) {
      this.#output.write(`${clearLine}${this.#truncate(text)}`);
      this.#status = text;
      return;
    }
    const now = this.#clock.monotonic();
    if (text === "" || now - this.#lastWrittenAt < fileIntervalMs) return;
    this.#status = text;
    this.#lastWrittenAt = now;
    this.#output.write(`${text}\n`);
  }

  get #isTerminal(): boolean {
    return this.#output.isTTY === true;
  }

  /** Truncates a line to the terminal width: a wrapped line could not be cleared completely. */
  #truncate(text: string): string {
    return text.slice(0, Math.max(20, (this.#output.columns ?? 80) - 1));
  }
}
