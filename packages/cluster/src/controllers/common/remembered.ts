/** At so few entries no search for entries of deleted objects is worth its time. */
const searchMin = 1000;

/**
 * Values that a controller keeps for objects, by key or uid, without being told when an object is deleted.
 *
 * Entries of deleted objects are searched for each time the number of entries has doubled since the last search, so that the time for
 * it is constant per entry. A search at every write would look at all objects each time.
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

  /** Keeps a value. `exists` reports whether the object of a key exists. */
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
