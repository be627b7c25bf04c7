/** One line that a container printed. */
export interface LogLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Without the end of line. */
  readonly text: string;
  /** Counts up from the first line that was ever printed. */
  readonly number: number;
}

/** The longest line; longer ones are cut into several. */
const lineLengthMax = 16_384;

/** The last lines that a run of a container printed, up to a number of characters. */
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

  /** Adds what was printed at a time. Every line is whole: a text without an end of line gets one. */
  print(text: string, at: number): void {
    if (this.#isEnded) return;
    const whole = text.endsWith("\n") ? text.slice(0, -1) : text;
    for (const line of whole.split("\n")) {
      for (let start = 0; start === 0 || start < line.length; start += lineLengthMax)
        this.#add(line.slice(start, start + lineLengthMax), at);
    }
    this.#tellWatchers();
  }

  /** The lines that are still there, from a number on. */
  since(number: number): readonly LogLine[] {
    const first = this.#lines[0]?.number ?? this.#printed;
    return this.#lines.slice(Math.max(0, number - first));
  }

  /** The text of the last lines, up to a number of characters. */
  tail(charactersMax: number): string {
    const text = this.#lines.map((line) => `${line.text}\n`).join("");
    return text.slice(-charactersMax);
  }

  /** Whether nothing will be added any more. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Ends it: who follows it gets the rest. */
  end(): void {
    this.#isEnded = true;
    this.#tellWatchers();
  }

  /** Calls a function at every change; disposing of the answer ends that. */
  watch(changed: () => void): Disposable {
    this.#watchers.add(changed);
    return { [Symbol.dispose]: () => void this.#watchers.delete(changed) };
  }

  #add(text: string, at: number): void {
    this.#lines.push({ at, text, number: this.#printed });
    this.#printed += 1;
    this.#characters += text.length + 1;
    let gone = 0;
    while (this.#characters > this.#charactersMax && gone < this.#lines.length - 1) {
      this.#characters -= (this.#lines[gone]?.text.length ?? 0) + 1;
      gone += 1;
    }
    if (gone > 0) this.#lines = this.#lines.slice(gone);
  }

  #tellWatchers(): void {
    for (const changed of this.#watchers) changed();
  }
}
