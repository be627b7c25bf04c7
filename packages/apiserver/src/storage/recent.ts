/** A least-recently-used cache with string keys, limited by the number of entries and the total length of the keys. */
export class Recent<T> {
  readonly #countMax: number;
  readonly #lengthMax: number;
  /** Most recently used entry last. */
  readonly #values = new Map<string, T>();
  #length = 0;

  /** `lengthMax` limits the total length of all keys. */
  constructor({ countMax, lengthMax }: { readonly countMax: number; readonly lengthMax: number }) {
    this.#countMax = countMax;
    this.#lengthMax = lengthMax;
  }

  get(key: string): T | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  /** Adds an entry unless the key exists or is longer than `lengthMax`, and evicts the least recently used ones. */
  keep(key: string, value: T): void {
    if (key.length > this.#lengthMax || this.#values.has(key)) return;
    this.#values.set(key, value);
    this.#length += key.length;
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#countMax && this.#length <= this.#lengthMax) return;
      this.#values.delete(oldest);
      this.#length -= oldest.length;
    }
  }
}
