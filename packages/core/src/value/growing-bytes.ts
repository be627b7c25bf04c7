/** Options of {@link GrowingBytes}. */
export interface GrowingBytesOptions {
  readonly bytesMax: number;
  /** Reserves memory before it is used. Returns false if there is none left. Default: always true. */
  readonly reserve?: ((bytes: number) => boolean) | undefined;
}

/** The initial capacity, enough for most requests. */
const firstBytes = 16 * 1024;

/**
 * A growing buffer for a body that arrives in pieces.
 *
 * A list of the pieces would need an object for each of them: a body that is sent in chunks of one byte would take a hundred times its
 * size. The buffer grows with the bytes that have arrived, not with the length that a header declares.
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

  /** Adds a piece. If it exceeds a limit, returns that limit and does not add it. */
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

  /** Returns the bytes and clears the buffer. */
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
