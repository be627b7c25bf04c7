/** Remembers the last text per key, so that no line is printed twice in a row. */
export class Deduplicator {
  readonly #lastTexts = new Map<string, string>();

  /** Records the text and reports whether it differs from the last one recorded for the key. */
  isNew(key: string, text: string): boolean {
    if (this.#lastTexts.get(key) === text) return false;
    this.#lastTexts.set(key, text);
    return true;
  }
}
