import { quote } from "@homeostat/cel";
import { compareBytes } from "../codec/go-text.ts";

// Formats strings and lists the way Go does.

/** Quotes a string as Go's `%q` does: non-printable characters are escaped. */
export function goQuote(text: string): string {
  return quote(text);
}

/** Formats strings as Go's `%q` does for a slice: `["a" "b"]`. */
export function goQuoteList(texts: readonly string[]): string {
  return `[${texts.map(quote).join(" ")}]`;
}

/** Formats strings as Go's `%#v` does for a slice: `[]string{"a", "b"}`. */
export function goSyntaxList(texts: readonly string[]): string {
  return `[]string{${texts.map(quote).join(", ")}}`;
}

/** Joins distinct problems as Go's aggregate errors do: a single one unchanged, several in brackets. */
export function joinProblems(problems: readonly string[]): string {
  const once = [...new Set(problems)];
  return once.length === 1 ? (once[0] ?? "") : `[${once.join(", ")}]`;
}

/** Returns the distinct strings in byte order. */
export function sortedUnique(texts: Iterable<string>): string[] {
  return [...new Set(texts)].sort(compareBytes);
}
