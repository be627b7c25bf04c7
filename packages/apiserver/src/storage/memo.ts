import type { Entry } from "./entry.ts";

/**
 * Remembers the parsed form of entries that were read lately, so many and no more.
 *
 * The object hangs on its entry, so finding it costs nothing; what is kept here is only whose turn it is to be forgotten.
 */
export class Memo<T> {
  readonly #ring: Entry<T>[] = [];
  readonly #countMax: number;
  readonly #decode: (bytes: Uint8Array, revision: number) => T;
  #at = 0;

  constructor({
    countMax,
    decode,
  }: {
    readonly countMax: number;
    readonly decode: (bytes: Uint8Array, revision: number) => T;
  }) {
    this.#countMax = countMax;
    this.#decode = decode;
  }

  /** The object of an entry, parsed now unless it is remembered. */
  read(entry: Entry<T>): T {
    if (entry.object !== undefined) return entry.object;
    const object = this.#decode(entry.bytes, entry.revision);
    this.keep(entry, object);
    return object;
  }

  /** Remembers an object, in place of the one that was remembered first. */
  keep(entry: Entry<T>, object: T): void {
    if (this.#countMax === 0) {
      entry.object = undefined;
      return;
    }
    const oldest = this.#ring[this.#at];
    if (oldest !== undefined && oldest !== entry) oldest.object = undefined;
    entry.object = object;
    this.#ring[this.#at] = entry;
    this.#at = (this.#at + 1) % this.#countMax;
  }
}
