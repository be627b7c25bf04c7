/** Token kinds. The kind of an operator, bracket or keyword is its own text. */
export type TokenKind =
  | "IDENTIFIER"
  | "ESC_IDENTIFIER"
  | "NUM_INT"
  | "NUM_UINT"
  | "NUM_FLOAT"
  | "STRING"
  | "BYTES"
  | "end"
  | Keyword
  | Punctuation;

/** Keywords, which cannot be identifiers. */
export type Keyword = "in" | "true" | "false" | "null";

/** Operators and brackets. */
export type Punctuation =
  | ("==" | "!=" | "<" | "<=" | ">=" | ">" | "&&" | "||" | "[" | "]" | "{" | "}" | "(" | ")")
  | ("." | "," | "-" | "!" | "?" | ":" | "+" | "*" | "/" | "%");

/** All operators and brackets, in the order in which messages list them. */
export const punctuations: readonly Punctuation[] = [
  ...(["==", "!=", "<", "<=", ">=", ">", "&&", "||", "[", "]", "{", "}", "(", ")"] as const),
  ...([".", ",", "-", "!", "?", ":", "+", "*", "/", "%"] as const),
];

/** A token: its kind and its range in the source, in UTF-16 code units. */
export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
}

/** All kinds in the order in which messages list them. */
const listed: readonly TokenKind[] = [
  ...punctuations,
  ...(["true", "false", "null", "NUM_FLOAT", "NUM_INT", "NUM_UINT", "STRING", "BYTES"] as const),
  ...(["IDENTIFIER", "ESC_IDENTIFIER"] as const),
];

/** Formats the expected kinds for messages: several are enclosed in braces. */
export function formatKinds(kinds: readonly TokenKind[]): string {
  if (kinds.length === 1) return formatKind(kinds[0] ?? "end");
  const ordered = listed.filter((kind) => kinds.includes(kind));
  return `{${ordered.map(formatKind).join(", ")}}`;
}

function formatKind(kind: TokenKind): string {
  if (kind === "end") return "<EOF>";
  return /^[A-Z_]+$/.test(kind) ? kind : `'${kind}'`;
}
