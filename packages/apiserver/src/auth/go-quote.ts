import { quote } from "@homeostat/cel";
import { compareBytes } from "../codec/go-text.ts";

// Texts and lists in messages, the way Go prints them.

/** A text in quotes, as Go's `%q` prints it: what cannot be seen is escaped. */
export function goQuote(text: string): string {
  return quote(text);
}

/** Texts as Go's `%q` prints a list: `["a" "b"]`. */
export function goQuoteList(texts: readonly string[]): string {
  return `[${texts.map(quote).join(" ")}]`;
}

/** Texts as Go's `%#v` prints a list: `[]string{"a", "b"}`. */
export function goSyntaxList(texts: readonly string[]): string {
  return `[]string{${texts.map(quote).join(", ")}}`;
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
