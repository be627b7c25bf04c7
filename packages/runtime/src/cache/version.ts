/**
 * A resourceVersion as an exact integer of any size.
 *
 * Versions of one resource can be compared with `<` and `>`, even a `number` with a `bigint`. A value that fits a
 * `number` exactly is always one, so `===` compares for equality.
 */
export type Version = number | bigint;

/**
 * Parses a resourceVersion. Returns undefined if it is not a decimal number, as on some servers that are not backed by
 * etcd; such versions cannot be compared.
 */
export function parseVersion(text: string | undefined): Version | undefined {
  if (text === undefined || text.length > digitsMax || !/^\d+$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/** Like {@link parseVersion} for text within bytes, without creating a string where possible. */
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

/** Returns the later of two versions. Undefined counts as earlier than any. */
export function laterVersion(a: Version | undefined, b: Version | undefined): Version | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b > a ? b : a;
}

/** Every integer with this many digits is a safe integer. */
const exactDigitsMax = 15;
/** Longer text is not a version of any known server; parsing it would only cost time. */
const digitsMax = 40;
