/*
 * Implementation of the string functions of CEL. A negative count means all occurrences.
 */

/** Replaces up to `count` occurrences of `part`. An empty part occurs before, between and after all characters. */
export function replaceText(text: string, part: string, replacement: string, count: bigint): string {
  if (count === 0n || part === replacement) return text;
  const pieces = part === "" ? ["", ...Array.from(text), ""] : text.split(part);
  const gaps = pieces.length - 1;
  const replaced = count < 0n || count > BigInt(gaps) ? gaps : Number(count);
  if (replaced === gaps) return pieces.join(replacement);
  return [...pieces.slice(0, replaced), pieces.slice(replaced).join(part)].join(replacement);
}

/** Splits a string at `separator` into at most `count` parts. An empty separator splits into characters. */
export function splitText(text: string, separator: string, count: bigint): string[] {
  if (count === 0n) return [];
  const pieces = separator === "" ? Array.from(text) : text.split(separator);
  if (count < 0n || count >= BigInt(pieces.length)) return pieces;
  const last = Number(count) - 1;
  return [...pieces.slice(0, last), pieces.slice(last).join(separator)];
}

const spaces = new Set(
  "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000",
);

/** Removes leading and trailing white space as defined by Unicode, which differs slightly from JavaScript's `trim`. */
export function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && spaces.has(text.charAt(start))) start += 1;
  while (end > start && spaces.has(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Converts A to Z to lower case. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Converts a to z to upper case. */
export function upperAscii(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

const escapes = new Map([
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
  ["\\", "\\\\"],
  ['"', '\\"'],
]);

/** Quotes a string, escaping the characters that have a short escape in CEL. */
export function quoteForCel(text: string): string {
  // eslint-disable-next-line no-control-regex -- the control characters with a short escape
  const escaped = text.replace(/[\x07-\r"\\]/g, (character) => escapes.get(character) ?? character);
  return `"${escaped}"`;
}
