/**
 * A map whose values may come and go by the million without leaving anything behind.
 *
 * A `Map` of V8 moves to a new table every few insertions, and the old table points to the new one. Once a table is old enough for
 * the old generation it holds on to all that follow, and by them to every value that was there when they were left,
 * until the next full collection: the young generation, in which a value of a moment costs nothing, then fills the old one.
 * Here the tables have nothing but keys and numbers in them; values stand in a list, in places that are used again.
 */
export class SteadyMap<K extends string | number, V> {
  readonly #places = new Map<K, number>();
  readonly #values: (V | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#places.size;
  }

  has(key: K): boolean {
    return this.#places.has(key);
  }

  get(key: K): V | undefined {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.#values[place];
  }

  /** Sets a value. A new key comes last; one that is there keeps its turn. */
  set(key: K, value: V): void {
    let place = this.#places.get(key);
    if (place === undefined) {
      place = this.#free.pop() ?? this.#values.length;
      this.#places.set(key, place);
    }
    this.#values[place] = value;
  }

  /** The value of a key, which with this comes last. */
  renew(key: K): V | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    // A map keeps the order of insertion.
    this.#places.delete(key);
    this.#places.set(key, place);
    return this.#values[place];
  }

  /** Takes a key out, and returns its value. */
  delete(key: K): V | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    this.#places.delete(key);
    const value = this.#values[place];
    if (this.#places.size > 0) {
      this.#values[place] = undefined;
      this.#free.push(place);
    } else {
      // What a burst has left goes back.
      this.#values.length = 0;
      this.#free.length = 0;
    }
    return value;
  }

  /** The key that comes first. */
  get firstKey(): K | undefined {
    for (const key of this.#places.keys()) return key;
    return undefined;
  }

  keys(): IterableIterator<K> {
    return this.#places.keys();
  }

  /** The values by turn. Some may be taken out meanwhile. */
  *values(): Generator<V, void, undefined> {
    for (const place of this.#places.values()) {
      const value = this.#values[place];
      if (value !== undefined) yield value;
    }
  }
}
