/** Things by their texts, so many of those that were asked for last. */
export class Recent<T> {
  readonly #countMax: number;
  readonly #lengthMax: number;
  /** What was asked for last is at the end. */
  readonly #known = new Map<string, T>();
  #length = 0;

  /** `lengthMax` bounds the length of all texts together. */
  constructor({ countMax, lengthMax }: { readonly countMax: number; readonly lengthMax: number }) {
    this.#countMax = countMax;
    this.#lengthMax = lengthMax;
  }

  get(text: string): T | undefined {
    const known = this.#known.get(text);
    if (known === undefined) return undefined;
    this.#known.delete(text);
    this.#known.set(text, known);
    return known;
  }

  /** Remembers what was not known, and forgets what nobody has asked for the longest. */
  keep(text: string, value: T): void {
    if (text.length > this.#lengthMax || this.#known.has(text)) return;
    this.#known.set(text, value);
    this.#length += text.length;
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= this.#countMax && this.#length <= this.#lengthMax) return;
      this.#known.delete(oldest);
      this.#length -= oldest.length;
    }
  }
}
