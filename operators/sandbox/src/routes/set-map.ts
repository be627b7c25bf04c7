/** A map from texts to sets. Empty sets are removed, so the map does not accumulate unused keys. */
export class SetMap<T> {
  readonly #sets = new Map<string, Set<T>>();

  /** Returns the set of a key; empty if it has none. Do not change the map while iterating. */
  get(key: string): Iterable<T> {
    return this.#sets.get(key) ?? [];
  }

  add(key: string, item: T): void {
    const set = this.#sets.get(key);
    if (set === undefined) this.#sets.set(key, new Set([item]));
    else set.add(item);
  }

  delete(key: string, item: T): void {
    const set = this.#sets.get(key);
    set?.delete(item);
    if (set?.size === 0) this.#sets.delete(key);
  }
}
