/** Size of the buffer of a connection that waits, or receives small responses. */
const smallBytes = 8_192;
/** Size of the buffers of large responses. */
const largeBytes = 131_072;
/** Large buffers that are kept for later use. */
const spareMax = 32;

/** Large buffers that no connection uses. All connections of the process share them. */
const spare: Buffer[] = [];

/** State of a connection after a read. */
export interface ReadState {
  /** Bytes that were read. */
  readonly count: number;
  /** True if the receiver could not send all bytes yet, and still refers to them. */
  readonly isLent: boolean;
  /** True if the response has ended. */
  readonly isDone: boolean;
}

/**
 * The buffer that a socket reads into, in place of a new one for each read.
 *
 * Node allocates 64 KiB for every read otherwise: garbage collection was a quarter of the CPU time of large responses. A buffer is used
 * again only when the receiver has sent its bytes.
 */
export class ReadBuffers {
  #small: Buffer = Buffer.allocUnsafeSlow(smallBytes);
  #current: Buffer = this.#small;
  /** Buffers whose bytes a slow receiver has not sent yet. */
  #lent: Buffer[] = [];

  /** Buffer of the next read. */
  get current(): Buffer {
    return this.#current;
  }

  /** Chooses the buffer of the next read. */
  advance({ count, isLent, isDone }: ReadState): void {
    const used = this.#current;
    const isLarge = used !== this.#small;
    const isFull = count === used.length;
    if (isLent) {
      if (!isLarge) this.#small = Buffer.allocUnsafeSlow(smallBytes);
      this.#lent.push(used);
      this.#current = isDone || (!isLarge && !isFull) ? this.#small : takeLarge();
      // No event tells when the bytes of a response that has ended are sent; the buffers are left to garbage collection.
      if (isDone) this.#lent = [];
      return;
    }
    this.sent();
    if (isDone) {
      if (isLarge) keep(used);
      this.#current = this.#small;
    } else if (isFull && !isLarge) this.#current = takeLarge();
  }

  /** The receiver has sent all bytes. */
  sent(): void {
    for (const buffer of this.#lent) keep(buffer);
    this.#lent.length = 0;
  }
}

function takeLarge(): Buffer {
  return spare.pop() ?? Buffer.allocUnsafeSlow(largeBytes);
}

function keep(buffer: Buffer): void {
  if (buffer.length === largeBytes && spare.length < spareMax) spare.push(buffer);
}
