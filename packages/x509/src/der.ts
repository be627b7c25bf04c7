// DER, the byte form of certificates (ITU-T X.690): every value is a tag, a length and its content. Only what a
// certificate needs.

/** The value of one tag around its content. */
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

/** An ordered list of values. */
export function sequence(...items: readonly Uint8Array[]): Buffer {
  return tagged(0x30, ...items);
}

/** A set of one value; a larger one would have to be sorted. */
export function setOf(item: Uint8Array): Buffer {
  return tagged(0x31, item);
}

/** A whole number that is not negative, most significant byte first. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = bytes.subarray(start);
  // A first bit of one would mean a negative number.
  return (digits[0] ?? 0) < 0x80 ? tagged(0x02, digits) : tagged(0x02, Buffer.from([0]), digits);
}

/** True or false. */
export function boolean(value: boolean): Buffer {
  return tagged(0x01, Buffer.from([value ? 0xff : 0]));
}

/** Whole bytes in a string that could also hold odd bits. */
export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return tagged(0x03, Buffer.from([unusedBits]), bytes);
}

/** Bytes. */
export function octetString(bytes: Uint8Array): Buffer {
  return tagged(0x04, bytes);
}

/** Text. */
export function utf8String(value: string): Buffer {
  return tagged(0x0c, Buffer.from(value, "utf8"));
}

/** The name of an algorithm, an attribute or a purpose: `"2.5.4.3"`. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

/** A moment, to the second. RFC 5280 wants two-digit years until 2049 and four digits after. */
export function time(moment: Date): Buffer {
  const digits = moment
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(/[-:T]/g, "");
  return moment.getUTCFullYear() < 2050
    ? tagged(0x17, Buffer.from(digits.slice(2)))
    : tagged(0x18, Buffer.from(digits));
}

/** A value whose tag its surroundings give a meaning, around other values. */
export function explicit(number: number, ...content: readonly Uint8Array[]): Buffer {
  return tagged(0xa0 | number, ...content);
}

/** A value whose tag its surroundings give a meaning, instead of its own tag. */
export function implicit(number: number, content: Uint8Array): Buffer {
  return tagged(0x80 | number, content);
}
