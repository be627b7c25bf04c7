import type { Entry } from "./entry.ts";

/** Limits of a {@link Memo}, and the function that parses objects. */
export interface MemoOptions<T> {
  readonly countMax: number;
  /** Total size in bytes of the encoded values of cached objects. Parsed, they take several times as much memory. */
  readonly bytesMax: number;
  readonly decode: (bytes: Uint8Array, revision: number) => T;
}

/** Entries of created objects that are kept until they are first read. */
const newMax = 16;

/**
 * A bounded cache of parsed objects.
 *
 * The object is stored on its entry, so a lookup is a property access. The cache itself only keeps the order of
 * eviction: first in, first out.
 */
export class Memo<T> {
  /** Entries in the order in which they were added. */
  readonly #kept = new Set<Entry<T>>();
  /**
   * Entries of new objects that were not read yet. Most of them never are, so they get a small quota of their own: in
   * the main cache they would evict objects that are read, and survive long enough to slow down garbage collection.
   */
  readonly #new = new Set<Entry<T>>();
  readonly #options: MemoOptions<T>;
  #bytes = 0;

  constructor(options: MemoOptions<T>) {
    this.#options = options;
  }

  /** Returns the object of an entry; parses it if it is not cached. */
  read(entry: Entry<T>): T {
    const { object: cached } = entry;
    if (cached !== undefined) {
      if (this.#new.delete(entry)) this.keep(entry, cached);
      return cached;
    }
    const object = this.#options.decode(entry.bytes, entry.revision);
    this.keep(entry, object);
    return object;
  }

  /** Caches an object of a new entry for a short time. A read in that time moves it to the main cache. */
  keepNew(entry: Entry<T>, object: T): void {
    entry.object = object;
    this.#new.add(entry);
    for (const oldest of this.#new) {
      if (this.#new.size <= Math.min(newMax, this.#options.countMax)) return;
      oldest.object = undefined;
      this.#new.delete(oldest);
    }
  }

  /** Caches an object and evicts the objects that were cached first. */
  keep(entry: Entry<T>, object: T): void {
    const { countMax, bytesMax } = this.#options;
    if (!this.#kept.has(entry)) {
      this.#kept.add(entry);
      this.#bytes += entry.size;
    }
    entry.object = object;
    for (const oldest of this.#kept) {
      if (this.#kept.size <= countMax && this.#bytes <= bytesMax) return;
      oldest.object = undefined;
      this.#kept.delete(oldest);
      this.#bytes -= oldest.size;
    }
  }
}
