/** One line of a container log. */
export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Text without the line break. */
  readonly text: string;
  /** Sequence number of the line, from 0 for the first line of the run. */
  readonly number: number;
}

/** Longest line; longer ones are split. */
const lineLengthMax = 16_384;

/** The last lines that one run of a container printed, up to a total number of characters. */
export class LogRing {
  readonly #charactersMax: number;
  readonly #watchers = new Set<() => void>();
  #lines: LogLine[] = [];
  #characters = 0;
  #printed = 0;
  #isEnded = false;

  constructor(charactersMax = 1_048_576) {
    this.#charactersMax = charactersMax;
  }

  /** Adds printed text. A text without a line break at its end counts as a whole line. */
  print(text: string, at: number): void {
    if (this.#isEnded) return;
    const whole = text.endsWith("\n") ? text.slice(0, -1) : text;
    for (const line of whole.split("\n")) {
      for (let start = 0; start === 0 || start < line.length; start += lineLengthMax)
        this.#add(line.slice(start, start + lineLengthMax), at);
    }
    this.#notifyWatchers();
  }

  /** Returns the lines that are still in the buffer, from a sequence number on. */
  since(number: number): readonly LogLine[] {
    const first = this.#lines[0]?.number ?? this.#printed;
    return this.#lines.slice(Math.max(0, number - first));
  }

  /** Returns the end of the log, up to a number of characters. */
  tail(charactersMax: number): string {
    const text = this.#lines.map((line) => `${line.text}\n`).join("");
    return text.slice(-charactersMax);
  }

  /** True if no line will be added any more. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Ends the log: readers that follow it get the rest and end. */
  end(): void {
    this.#isEnded = true;
    this.#notifyWatchers();
  }

  /** Calls a function at every change, until the result is disposed of. */
  watch(changed: () => void): Disposable {
    this.#watchers.add(changed);
    return { [Symbol.dispose]: () => void this.#watchers.delete(changed) };
  }

  #add(text: string, at: number): void {
    this.#lines.push({ at, text, number: this.#printed });
    this.#printed += 1;
    this.#characters += text.length + 1;
    let dropped = 0;
    while (this.#characters > this.#charactersMax && dropped < this.#lines.length - 1) {
      this.#characters -= (this.#lines[dropped]?.text.length ?? 0) + 1;
      dropped += 1;
    }
    if (dropped > 0) this.#lines = this.#lines.slice(dropped);
  }

  #notifyWatchers(): void {
    for (const changed of this.#watchers) changed();
  }
}
