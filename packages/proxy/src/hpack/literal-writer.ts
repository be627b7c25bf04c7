import { writeInteger } from "./prefix-integer.ts";
import { staticIndexOf } from "./static-table.ts";

/** Bytes that a literal field needs at most besides its name and value: one for its form, and two lengths. */
export const literalOverheadBytes = 11;

const neverIndexed = 0x10;

/**
 * Writes a field as a literal without indexing, without Huffman coding. Such a field needs and changes no dynamic table. `form` has the bits of
 * another literal form. Returns the position after it.
 */
export function writeLiteral(bytes: Buffer, at: number, name: string, value: string, form = 0): number {
  const index = staticIndexOf(name);
  let position = writeInteger(bytes, at, form, 0x0f, index);
  if (index === 0) position = writeText(bytes, position, name);
  return writeText(bytes, position, value);
}

function writeText(bytes: Buffer, at: number, text: string): number {
  const position = writeInteger(bytes, at, 0, 0x7f, text.length);
  if (text.length > 24) return position + bytes.write(text, position, "latin1");
  for (let index = 0; index < text.length; index += 1) bytes[position + index] = text.charCodeAt(index);
  return position + text.length;
}

const cacheMax = 256;
const cache = new Map<string, { readonly value: string; readonly bytes: Buffer }>();

/** Returns a field as {@link writeLiteral} writes it. The last value of each name is kept, because most values repeat. */
export function encodeLiteral(name: string, value: string): Buffer {
  const known = cache.get(name);
  if (known !== undefined && known.value === value) return known.bytes;
  const bytes = Buffer.allocUnsafe(name.length + value.length + literalOverheadBytes);
  const field = bytes.subarray(0, writeLiteral(bytes, 0, name, value));
  if (cache.size >= cacheMax) cache.clear();
  cache.set(name, { value, bytes: field });
  return field;
}

/**
 * Returns a block with literal fields that proxies must never index (RFC 7541, 7.1.3): whether the original fields allowed it is unknown.
 */
export function encodeFields(fields: readonly (readonly [name: string, value: string])[]): Buffer {
  let size = 0;
  for (const [name, value] of fields) size += name.length + value.length + literalOverheadBytes;
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const [name, value] of fields) at = writeLiteral(bytes, at, name, value, neverIndexed);
  return bytes.subarray(0, at);
}
