/*
 * What the string functions of CEL do to texts. Counts that are negative mean "all of them".
 */

/** The text with up to `count` places where `part` stands replaced. An empty part stands before, between and after all characters. */
export function replaceText(text: string, part: string, replacement: string, count: bigint): string {
  if (count === 0n || part === replacement) return text;
  const pieces = part === "" ? ["", ...Array.from(text), ""] : text.split(part);
  const gaps = pieces.length - 1;
  const replaced = count < 0n || count > BigInt(gaps) ? gaps : Number(count);
  if (replaced === gaps) return pieces.join(replacement);
  return [...pieces.slice(0, replaced), pieces.slice(replaced).join(part)].join(replacement);
}

/** The pieces between the places where `separator` stands, at most `count`. An empty separator gives the characters. */
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

/** The text without the white space around it. White space is what Unicode says, which is not quite what JavaScript trims. */
export function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && spaces.has(text.charAt(start))) start += 1;
  while (end > start && spaces.has(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** The text with A to Z in lower case and everything else as it is. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The text with a to z in upper case and everything else as it is. */
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

/** The text in double quotes, with the characters escaped that have a short escape in CEL. */
export function quoteForCel(text: string): string {
  // eslint-disable-next-line no-control-regex -- the control characters with a short escape
  const escaped = text.replace(/[\x07-\r"\\]/g, (character) => escapes.get(character) ?? character);
  return `"${escaped}"`;
}
