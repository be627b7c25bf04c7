import { code } from "./codes.ts";

const headEnd = Buffer.from("\r\n\r\n");
const emptyLine = "\r\n";
const initialBytes = 1024;
const probedBytes = 2_048;

/** Result of {@link HeadCollector.push} if the head is not complete. */
export const collected = { incomplete: -1, tooLarge: -2, malformed: -3 } as const;

/**
 * Collects the bytes of a head until its end. A head that arrives in one piece, as nearly all do, is not copied. A head that arrives byte by
 * byte costs no more than its length.
 */
export class HeadCollector {
  /** Lines of the last complete head, each with CR LF, without the empty line after them. */
  text = "";
  #buffer: Buffer | undefined;
  #length = 0;
  readonly #bytesMax: number;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** True if a part of a head was received. */
  get hasBytes(): boolean {
    return this.#length > 0;
  }

  /** Adds bytes from an offset. Returns the offset after the head, or a value of {@link collected}. */
  push(chunk: Buffer, from: number): number {
    if (this.#length > 0) return this.#append(chunk, from);
    // Nearly all heads are in the first bytes of a chunk. A search in their text costs half of one in the buffer.
    const text = chunk.toString("latin1", from, Math.min(chunk.length, from + probedBytes, from + this.#bytesMax));
    const length = text.indexOf("\r\n\r\n");
    if (length !== -1) {
      this.#complete(text.slice(0, length + 2));
      return from + length + 4;
    }
    const end = chunk.indexOf(headEnd, from);
    if (end === -1) return this.#append(chunk, from);
    if (end + 4 - from > this.#bytesMax) return collected.tooLarge;
    this.#complete(chunk.toString("latin1", from, end + 2));
    return end + 4;
  }

  #append(chunk: Buffer, from: number): number {
    const before = this.#length;
    // A copy of what fits decides: more bytes cannot make a head valid.
    const taken = Math.min(chunk.length - from, this.#bytesMax - before);
    const length = before + taken;
    const buffer = this.#reserve(length);
    chunk.copy(buffer, before, from, from + taken);
    this.#length = length;
    const end = buffer.subarray(0, length).indexOf(headEnd, Math.max(0, before - 3));
    if (end !== -1) {
      this.#complete(buffer.toString("latin1", 0, end + 2));
      this.#length = 0;
      this.#buffer = undefined;
      return from + end + 4 - before;
    }
    // Refused at once: the client would otherwise wait for a response until the time limit.
    if (hasBareLf(buffer, before, length)) return collected.malformed;
    return length === this.#bytesMax ? collected.tooLarge : collected.incomplete;
  }

  #reserve(length: number): Buffer {
    const old = this.#buffer;
    if (old !== undefined && old.length >= length) return old;
    const larger = Buffer.allocUnsafe(Math.min(this.#bytesMax, Math.max(length, initialBytes, (old?.length ?? 0) * 2)));
    old?.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
    return larger;
  }

  /** Removes one empty line before the head, which some clients send after a body (RFC 9112, 2.2). */
  #complete(text: string): void {
    this.text = text.startsWith(emptyLine) ? text.slice(emptyLine.length) : text;
  }
}

function hasBareLf(buffer: Buffer, from: number, end: number): boolean {
  for (let at = buffer.indexOf(code.lf, from); at !== -1 && at < end; at = buffer.indexOf(code.lf, at + 1))
    if (at === 0 || buffer[at - 1] !== code.cr) return true;
  return false;
}
