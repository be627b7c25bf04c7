import { CompressionFault } from "./compression-fault.ts";

/** Continuation bytes that an integer may have. Four carry 28 bits, more than any length or index that can be valid here. */
const continuationBytesMax = 4;

/**
 * Reads integers of RFC 7541, 5.1. One instance is used for many reads, so that no object is created per integer: `at` is the position
 * after the last integer.
 */
export class IntegerReader {
  at = 0;

  /** Returns the integer with a prefix of `bits` bits at `start`. */
  read(bytes: Buffer, start: number, { end, bits }: { end: number; bits: number }): number {
    return this.readBits(bytes, start, end, (1 << bits) - 1);
  }

  /** The same with the largest value of the prefix, `mask`, as in `0x7f` for 7 bits. */
  readBits(bytes: Buffer, start: number, end: number, mask: number): number {
    if (start >= end) throw new CompressionFault("a header block ends before an integer");
    let value = (bytes[start] ?? 0) & mask;
    let at = start + 1;
    if (value === mask) {
      for (let shift = 0; ; shift += 7) {
        if (at >= end) throw new CompressionFault("a header block ends inside an integer");
        if (at - start > continuationBytesMax) throw new CompressionFault("an integer of a header block is too long");
        const byte = bytes[at] ?? 0;
        at += 1;
        value += (byte & 0x7f) << shift;
        if (byte < 0x80) break;
      }
    }
    this.at = at;
    return value;
  }
}

/** Writes an integer whose first byte has the bits `first` besides the prefix. Returns the position after it. */
export function writeInteger(bytes: Buffer, at: number, first: number, mask: number, value: number): number {
  let position = at;
  if (value < mask) {
    bytes[position] = first | value;
    return position + 1;
  }
  bytes[position] = first | mask;
  position += 1;
  let rest = value - mask;
  while (rest >= 0x80) {
    bytes[position] = (rest & 0x7f) | 0x80;
    position += 1;
    rest >>>= 7;
  }
  bytes[position] = rest;
  return position + 1;
}
