/** A map with a limited number of keys. A new key evicts the least recently used one. */
export class LruMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #sizeMax: number;

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Returns the value of a key and marks it as used. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** Sets a value and returns the evicted one, if any. */
  set(key: K, value: V): V | undefined {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#sizeMax) return undefined;
    const [oldest] = this.#entries;
    if (oldest === undefined) return undefined;
    this.#entries.delete(oldest[0]);
    return oldest[1];
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  /** Yields keys and values, least recently used first. Does not mark them as used. */
  entries(): IterableIterator<[K, V]> {
    return this.#entries.entries();
  }

  values(): IterableIterator<V> {
    return this.#entries.values();
  }
}
