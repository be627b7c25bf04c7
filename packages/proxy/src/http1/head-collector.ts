import { code } from "./codes.ts";

const emptyLine = "\r\n";
const initialBytes = 1024;

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
    const end = endOfHead(chunk, from, chunk.length);
    if (end === -1) return this.#append(chunk, from);
    if (end - from > this.#bytesMax) return collected.tooLarge;
    // A text of its own and not a slice of a longer one: V8 reads the characters of a slice at a third of the speed.
    this.#complete(chunk.toString("latin1", from, end - 2));
    return end;
  }

  #append(chunk: Buffer, from: number): number {
    const before = this.#length;
    // A copy of what fits decides: more bytes cannot make a head valid.
    const taken = Math.min(chunk.length - from, this.#bytesMax - before);
    const length = before + taken;
    const buffer = this.#reserve(length);
    chunk.copy(buffer, before, from, from + taken);
    this.#length = length;
    const end = endOfHead(buffer, Math.max(0, before - 3), length);
    if (end !== -1) {
      this.#complete(buffer.toString("latin1", 0, end - 2));
      this.#length = 0;
      this.#buffer = undefined;
      return from + end - before;
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

/**
 * Returns the offset after the first CR LF CR LF of bytes between two offsets, or -1. Looks at one byte of four, the last of the four that are
 * compared: in the lines of a head it is mostly none of them, and the comparison goes on after it.
 */
export function endOfHead(bytes: Uint8Array, from: number, end: number): number {
  let last = from + 3;
  while (last < end) {
    const byte = bytes[last];
    if (byte === code.lf) {
      if (bytes[last - 1] === code.cr && bytes[last - 2] === code.lf && bytes[last - 3] === code.cr) return last + 1;
      last += 2;
    } else last += byte === code.cr ? 1 : 4;
  }
  return -1;
}

function hasBareLf(buffer: Buffer, from: number, end: number): boolean {
  for (let at = buffer.indexOf(code.lf, from); at !== -1 && at < end; at = buffer.indexOf(code.lf, at + 1))
    if (at === 0 || buffer[at - 1] !== code.cr) return true;
  return false;
}
