/** Smallest buffer that is allocated for queued bytes. */
const slabBytes = 4_096;

interface Slab {
  readonly bytes: Buffer;
  start: number;
  end: number;
}

/**
 * Bytes that wait. Small pieces share a buffer: a peer that sends one byte per frame would otherwise use a hundred times the memory that
 * its window allows.
 */
export class ByteQueue {
  #slabs: Slab[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Appends a copy of bytes. */
  push(bytes: Buffer, start: number, end: number): void {
    let from = start;
    const last = this.#slabs.at(-1);
    if (last !== undefined) {
      const count = Math.min(last.bytes.length - last.end, end - from);
      bytes.copy(last.bytes, last.end, from, from + count);
      last.end += count;
      from += count;
    }
    if (from < end) {
      const slab = Buffer.allocUnsafeSlow(Math.max(slabBytes, end - from));
      bytes.copy(slab, 0, from, end);
      this.#slabs.push({ bytes: slab, start: 0, end: end - from });
    }
    this.#length += end - start;
  }

  /** Puts bytes before all others. */
  unshift(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#slabs.unshift({ bytes, start: 0, end: bytes.length });
    this.#length += bytes.length;
  }

  /** Removes and returns up to `max` bytes; fewer where a buffer ends. The result is valid until the next `push`. */
  shift(max: number): Buffer {
    const first = this.#slabs[0];
    if (first === undefined) return Buffer.alloc(0);
    const count = Math.min(max, first.end - first.start);
    const part = first.bytes.subarray(first.start, first.start + count);
    first.start += count;
    this.#length -= count;
    if (first.start === first.end) this.#slabs.shift();
    return part;
  }

  clear(): void {
    this.#slabs = [];
    this.#length = 0;
  }
}
