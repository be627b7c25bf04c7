import { compareBytes } from "../codec/go-text.ts";

// Messages of an API server quote texts the way Go does (`%q`).

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
]);

const plain = /^[ !#-[\]-~]*$/;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** A text in quotes, as Go's `%q` prints it: what cannot be printed is escaped. */
export function goQuote(text: string): string {
  return plain.test(text) ? `"${text}"` : `"${Array.from(text, quoteCharacter).join("")}"`;
}

function quoteCharacter(character: string): string {
  const escape = escapes.get(character);
  if (escape !== undefined) return escape;
  if (printable.test(character)) return character;
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x20 || point === 0x7f) return `\\x${point.toString(16).padStart(2, "0")}`;
  // Half of a pair is no character: Go shows the sign for those.
  if (point >= 0xd800 && point <= 0xdfff) return "\ufffd";
  return point > 0xffff ? `\\U${point.toString(16).padStart(8, "0")}` : `\\u${point.toString(16).padStart(4, "0")}`;
}

/** Texts as Go's `%q` prints a list: `["a" "b"]`. */
export function goQuoteList(texts: readonly string[]): string {
  return `[${texts.map(goQuote).join(" ")}]`;
}

/** Texts as Go's `%#v` prints a list: `[]string{"a", "b"}`. */
export function goSyntaxList(texts: readonly string[]): string {
  return `[]string{${texts.map(goQuote).join(", ")}}`;
}

/** Several problems as one text: alone as it is, more in brackets, each once. */
export function joinProblems(problems: readonly string[]): string {
  const once = [...new Set(problems)];
  return once.length === 1 ? (once[0] ?? "") : `[${once.join(", ")}]`;
}

/** Texts in the order of their bytes, each once. */
export function sortedOnce(texts: Iterable<string>): string[] {
  return [...new Set(texts)].sort(compareBytes);
}
