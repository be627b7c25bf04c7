/** How much a {@link Memo} may hold. */
export interface MemoLimits {
  /** How many values. Default 1,000. */
  readonly countMax?: number;
  /** How many bytes of source text all of them together. Default 4 MiB. */
  readonly bytesMax?: number;
}

/** Values by slot, the most recently used ones; the others are forgotten. */
export class Memo<T> {
  readonly #countMax: number;
  readonly #bytesMax: number;
  readonly #entries = new Map<number, { readonly value: T; readonly bytes: number }>();
  #bytes = 0;

  constructor({ countMax = 1000, bytesMax = 4 * 1024 * 1024 }: MemoLimits = {}) {
    this.#countMax = countMax;
    this.#bytesMax = bytesMax;
  }

  /** How many values fit, if they are not too long. */
  get countMax(): number {
    return this.#countMax;
  }

  get(slot: number): T | undefined {
    const entry = this.#entries.get(slot);
    if (entry === undefined) return undefined;
    // A map keeps the order of insertion: put in anew, the entry is the last to be forgotten.
    this.#entries.delete(slot);
    this.#entries.set(slot, entry);
    return entry.value;
  }

  /** The value without counting this as a use of it. */
  peek(slot: number): T | undefined {
    return this.#entries.get(slot)?.value;
  }

  set(slot: number, value: T, bytes: number): void {
    this.delete(slot);
    if (bytes > this.#bytesMax / 4 || this.#countMax === 0) return;
    this.#entries.set(slot, { value, bytes });
    this.#bytes += bytes;
    if (this.#entries.size <= this.#countMax && this.#bytes <= this.#bytesMax) return;
    for (const oldest of this.#entries.keys()) {
      this.delete(oldest);
      if (this.#entries.size <= this.#countMax && this.#bytes <= this.#bytesMax) return;
    }
  }

  delete(slot: number): void {
    const entry = this.#entries.get(slot);
    if (entry === undefined) return;
    this.#entries.delete(slot);
    this.#bytes -= entry.bytes;
  }
}
