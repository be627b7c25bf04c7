/** Options of {@link GrowingBytes}. */
export interface GrowingBytesOptions {
  readonly bytesMax: number;
  /** Reserves memory before it is used; false when there is none left. Default: always true. */
  readonly reserve?: ((bytes: number) => boolean) | undefined;
}

/** The capacity at first: as long as most requests. */
const firstBytes = 16 * 1024;

/**
 * A body that arrives in pieces, in one growing buffer.
 *
 * A list of the pieces would keep an object for each of them: a body that is sent in chunks of one byte takes a hundred times its
 * size then. The buffer grows with what has arrived, never with what a header promises.
 */
export class GrowingBytes {
  readonly #bytesMax: number;
  readonly #reserve: (bytes: number) => boolean;
  #buffer = new Uint8Array(0);
  #length = 0;

  constructor({ bytesMax, reserve = () => true }: GrowingBytesOptions) {
    this.#bytesMax = bytesMax;
    this.#reserve = reserve;
  }

  /** Adds a piece. Returns the limit that it exceeds, if it does; the piece is not added then. */
  append(piece: Uint8Array): "bytes" | "memory" | undefined {
    const needed = this.#length + piece.length;
    if (needed > this.#bytesMax) return "bytes";
    if (needed > this.#buffer.length) {
      const capacity = Math.min(this.#bytesMax, Math.max(needed, 2 * this.#buffer.length, firstBytes));
      if (!this.#reserve(capacity - this.#buffer.length)) return "memory";
      const grown = new Uint8Array(capacity);
      grown.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = grown;
    }
    this.#buffer.set(piece, this.#length);
    this.#length = needed;
    return undefined;
  }

  /** Returns the bytes and forgets them. */
  take(): Uint8Array {
    const bytes = this.#buffer.subarray(0, this.#length);
    this.clear();
    return bytes;
  }

  /** Drops the bytes. */
  clear(): void {
    this.#buffer = new Uint8Array(0);
    this.#length = 0;
  }
}
