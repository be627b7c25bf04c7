// The ustar format (POSIX.1-1988): a header of 512 bytes, the content, zeros up to the next 512; two empty blocks at the end.
// Only plain files, and the same bytes for the same input.

import { createReadStream, createWriteStream, statSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** A file of an archive: its content, or the path of a file with the content. */
export type TarEntry =
  | { readonly name: string; readonly content: Uint8Array; readonly mode?: number }
  | { readonly name: string; readonly file: string; readonly mode?: number };

const block = 512;
const nameBytesMax = 100;
// Eleven octal digits.
const sizeMax = 8 ** 11 - 1;

/** Writes an archive without holding a complete file in memory. */
export async function writeTar(path: string, entries: readonly TarEntry[], signal?: AbortSignal): Promise<void> {
  await pipeline(
    Readable.from(blocks(entries), { objectMode: false }),
    createWriteStream(path, { mode: 0o600 }),
    signal === undefined ? {} : { signal },
  );
}

/** Returns the bytes of an archive, in chunks. */
export async function* blocks(entries: readonly TarEntry[]): AsyncGenerator<Uint8Array> {
  for (const entry of entries) {
    const size = "file" in entry ? statSync(entry.file).size : entry.content.length;
    yield tarHeader({ name: entry.name, size, mode: entry.mode ?? 0o644 });
    if ("file" in entry) yield* createReadStream(entry.file, { highWaterMark: 1 << 20 });
    else if (size > 0) yield entry.content;
    const rest = size % block;
    if (rest > 0) yield Buffer.alloc(block - rest);
  }
  yield Buffer.alloc(2 * block);
}

/** Returns the header of one file. Throws a RangeError if the name or the size exceeds the format. */
export function tarHeader({ name, size, mode }: { name: string; size: number; mode: number }): Buffer {
  if (Buffer.byteLength(name) > nameBytesMax) throw new RangeError(`${name} is longer than ${nameBytesMax} bytes.`);
  if (size > sizeMax)
    throw new RangeError(`${name} has ${size} bytes; the limit for a file in an archive is ${sizeMax}.`);
  const header = Buffer.alloc(block);
  const octal = (value: number, offset: number, digits: number): void => {
    header.write(`${value.toString(8).padStart(digits, "0")}\0`, offset, "ascii");
  };
  header.write(name, 0, "utf8");
  octal(mode, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(0, 136, 11);
  header.write("0", 156, "ascii");
  header.write("ustar\x0000", 257, "latin1");
  // The checksum is computed with its own eight bytes as spaces, and written in six digits.
  header.fill(" ", 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "ascii");
  return header;
}
