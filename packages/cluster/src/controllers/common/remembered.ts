/** Number of entries below which the map is never searched for entries of deleted objects. */
const searchMin = 1000;

/**
 * A map of values per object, by key or uid, for controllers that get no notification when an object is deleted.
 *
 * The map is searched for entries of deleted objects each time its size has doubled since the last search, so the
 * cost is constant per entry. A search at every write would visit all objects each time.
 */
export class Remembered<V> {
  readonly #values = new Map<string, V>();
  #searchAt = searchMin;

  get size(): number {
    return this.#values.size;
  }

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  /** Stores a value. `exists` reports whether the object of a key still exists. */
  set(key: string, value: V, exists: (key: string) => boolean): void {
    this.#values.set(key, value);
    if (this.#values.size < this.#searchAt) return;
    for (const other of this.#values.keys()) if (other !== key && !exists(other)) this.#values.delete(other);
    this.#searchAt = Math.max(searchMin, this.#values.size * 2);
  }

  delete(key: string): void {
    this.#values.delete(key);
  }
}
