/**
 * A resource version as a number, exact whatever its size.
 *
 * Versions of one resource compare with `<` and `>`, also a `number` with a `bigint`. What fits a `number` exactly is always
 * one, so `===` tells whether two are the same.
 */
export type Version = number | bigint;

/** The number in a resource version; undefined when it is none, as some servers' are: then two of them cannot be compared. */
export function parseVersion(text: string | undefined): Version | undefined {
  if (text === undefined || text.length > digitsMax || !/^\d+$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/** {@link parseVersion} of the text that lies in bytes, without making a text of it where that can be avoided. */
export function readVersion(bytes: Uint8Array, start: number, end: number): Version | undefined {
  const length = end - start;
  if (start < 0 || length === 0 || length > digitsMax) return undefined;
  if (length > exactDigitsMax) return parseVersion(Buffer.from(bytes.subarray(start, end)).toString("latin1"));
  let number = 0;
  for (let i = start; i < end; i += 1) {
    const digit = (bytes[i] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    number = number * 10 + digit;
  }
  return number;
}

/** The later of two versions; an unknown one is earlier than any. */
export function laterVersion(a: Version | undefined, b: Version | undefined): Version | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b > a ? b : a;
}

/** No number of so few digits is too large for a `number`. */
const exactDigitsMax = 15;
/** More is no version of any server, and not worth the time. */
const digitsMax = 40;
