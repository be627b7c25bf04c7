/**
 * A map for millions of short-lived values that leaves no garbage in the old generation.
 *
 * A V8 `Map` moves to a new table every few insertions, and the old table points to the new one. Once a table has been
 * promoted to the old generation, it keeps all later tables alive and through them every value they held, until the
 * next full collection: values that should die in the young generation fill the old one. Here the tables of the map
 * contain only keys and numbers; the values are in an array whose positions are reused.
 */
export class SteadyMap<K extends string | number, V> {
  readonly #positions = new Map<K, number>();
  readonly #values: (V | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#positions.size;
  }

  has(key: K): boolean {
    return this.#positions.has(key);
  }

  get(key: K): V | undefined {
    const position = this.#positions.get(key);
    return position === undefined ? undefined : this.#values[position];
  }

  /** Sets a value. A new key is added at the end; an existing one keeps its position in the order. */
  set(key: K, value: V): void {
    let position = this.#positions.get(key);
    if (position === undefined) {
      position = this.#free.pop() ?? this.#values.length;
      this.#positions.set(key, position);
    }
    this.#values[position] = value;
  }

  /** Returns the value of a key and moves the key to the end of the order. */
  moveToEnd(key: K): V | undefined {
    const position = this.#positions.get(key);
    if (position === undefined) return undefined;
    // A `Map` iterates in insertion order.
    this.#positions.delete(key);
    this.#positions.set(key, position);
    return this.#values[position];
  }

  /** Removes a key and returns its value. */
  delete(key: K): V | undefined {
    const position = this.#positions.get(key);
    if (position === undefined) return undefined;
    this.#positions.delete(key);
    const value = this.#values[position];
    if (this.#positions.size > 0) {
      this.#values[position] = undefined;
      this.#free.push(position);
    } else {
      // Free the memory that a burst has left behind.
      this.#values.length = 0;
      this.#free.length = 0;
    }
    return value;
  }

  /** The first key in the order. */
  get firstKey(): K | undefined {
    for (const key of this.#positions.keys()) return key;
    return undefined;
  }

  keys(): IterableIterator<K> {
    return this.#positions.keys();
  }

  /** Yields the values in order. Keys may be removed during the iteration. */
  *values(): Generator<V, void, undefined> {
    for (const position of this.#positions.values()) {
      const value = this.#values[position];
      if (value !== undefined) yield value;
    }
  }
}
