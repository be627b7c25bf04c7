// Encoder for DER (ITU-T X.690), the binary format of certificates: every value is a tag, a length and its content.
// Covers only what a certificate needs.

/** Encodes a value: tag, length, content. */
function tagged(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

/** Encodes a SEQUENCE. */
export function sequence(...items: readonly Uint8Array[]): Buffer {
  return tagged(0x30, ...items);
}

/** Encodes a SET with one element. DER would require sorting a larger one. */
export function setOf(item: Uint8Array): Buffer {
  return tagged(0x31, item);
}

/** Encodes a non-negative INTEGER from its big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = bytes.subarray(start);
  // A leading one bit would make the number negative.
  return (digits[0] ?? 0) < 0x80 ? tagged(0x02, digits) : tagged(0x02, Buffer.from([0]), digits);
}

/** Encodes a BOOLEAN. */
export function boolean(value: boolean): Buffer {
  return tagged(0x01, Buffer.from([value ? 0xff : 0]));
}

/** Encodes a BIT STRING. `unusedBits` is the number of padding bits in the last byte. */
export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return tagged(0x03, Buffer.from([unusedBits]), bytes);
}

/** Encodes an OCTET STRING. */
export function octetString(bytes: Uint8Array): Buffer {
  return tagged(0x04, bytes);
}

/** Encodes a UTF8String. */
export function utf8String(value: string): Buffer {
  return tagged(0x0c, Buffer.from(value, "utf8"));
}

/** Encodes an OBJECT IDENTIFIER, the name of an algorithm, an attribute or a purpose: `"2.5.4.3"`. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

/**
 * Encodes a time with a precision of one second. RFC 5280 requires UTCTime (two-digit years) until 2049 and
 * GeneralizedTime after.
 */
export function time(moment: Date): Buffer {
  const digits = moment
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(/[-:T]/g, "");
  return moment.getUTCFullYear() < 2050
    ? tagged(0x17, Buffer.from(digits.slice(2)))
    : tagged(0x18, Buffer.from(digits));
}

/** Wraps values in an EXPLICIT context-specific tag. */
export function explicit(number: number, ...content: readonly Uint8Array[]): Buffer {
  return tagged(0xa0 | number, ...content);
}

/** Replaces the tag of a value by an IMPLICIT context-specific one. */
export function implicit(number: number, content: Uint8Array): Buffer {
  return tagged(0x80 | number, content);
}
