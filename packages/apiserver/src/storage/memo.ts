import type { Entry } from "./entry.ts";

/** How much a {@link Memo} remembers, and how objects are parsed. */
export interface MemoOptions<T> {
  readonly countMax: number;
  /** How many bytes the values of remembered objects may have together; parsed they take several times as much. */
  readonly bytesMax: number;
  readonly decode: (bytes: Uint8Array, revision: number) => T;
}

const newMax = 16;

/**
 * Remembers the parsed form of entries that were read lately, so many and no more.
 *
 * The object hangs on its entry, so finding it costs nothing; what is kept here is only whose turn it is to be forgotten.
 */
export class Memo<T> {
  /** In the order in which they came. */
  readonly #kept = new Set<Entry<T>>();
  /** Those that are new and that nobody has asked for since. Most never are; kept for long, they would only grow old. */
  readonly #new = new Set<Entry<T>>();
  readonly #options: MemoOptions<T>;
  #bytes = 0;

  constructor(options: MemoOptions<T>) {
    this.#options = options;
  }

  /** The object of an entry, parsed now unless it is remembered. */
  read(entry: Entry<T>): T {
    const { object: known } = entry;
    if (known !== undefined) {
      if (this.#new.delete(entry)) this.keep(entry, known);
      return known;
    }
    const object = this.#options.decode(entry.bytes, entry.revision);
    this.keep(entry, object);
    return object;
  }

  /** Remembers an object for a short while, and for longer if somebody reads it meanwhile. */
  keepNew(entry: Entry<T>, object: T): void {
    entry.object = object;
    this.#new.add(entry);
    for (const oldest of this.#new) {
      if (this.#new.size <= Math.min(newMax, this.#options.countMax)) return;
      oldest.object = undefined;
      this.#new.delete(oldest);
    }
  }

  /** Remembers an object, in place of those that were remembered first. */
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
