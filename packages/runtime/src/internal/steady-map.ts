/**
 * A map whose values may come and go by the million without leaving anything behind.
 *
 * A `Map` of V8 moves to a new table every few insertions, and the old table points to the new one. Once a table is old enough for
 * the old generation it holds on to all that follow, and by them to every value that was there when they were left,
 * until the next full collection: the young generation, in which a value of a moment costs nothing, then fills the old one.
 * Here the tables have nothing but keys and numbers in them; values stand in a list, in places that are used again.
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

  /** Sets a value. A new key comes last; one that is there keeps its turn. */
  set(key: K, value: V): void {
    let position = this.#positions.get(key);
    if (position === undefined) {
      position = this.#free.pop() ?? this.#values.length;
      this.#positions.set(key, position);
    }
    this.#values[position] = value;
  }

  /** The value of a key, which with this comes last. */
  moveToEnd(key: K): V | undefined {
    const position = this.#positions.get(key);
    if (position === undefined) return undefined;
    // A map keeps the order of insertion.
    this.#positions.delete(key);
    this.#positions.set(key, position);
    return this.#values[position];
  }

  /** Takes a key out, and returns its value. */
  delete(key: K): V | undefined {
    const position = this.#positions.get(key);
    if (position === undefined) return undefined;
    this.#positions.delete(key);
    const value = this.#values[position];
    if (this.#positions.size > 0) {
      this.#values[position] = undefined;
      this.#free.push(position);
    } else {
      // What a burst has left goes back.
      this.#values.length = 0;
      this.#free.length = 0;
    }
    return value;
  }

  /** The key that comes first. */
  get firstKey(): K | undefined {
    for (const key of this.#positions.keys()) return key;
    return undefined;
  }

  keys(): IterableIterator<K> {
    return this.#positions.keys();
  }

  /** The values by turn. Some may be taken out meanwhile. */
  *values(): Generator<V, void, undefined> {
    for (const position of this.#positions.values()) {
      const value = this.#values[position];
      if (value !== undefined) yield value;
    }
  }
}
