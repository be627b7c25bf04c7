import { punctuations, type Punctuation, type Token, type TokenKind } from "./token.ts";

/** A position at which there is no valid token. */
export interface LexicalError {
  readonly offset: number;
  readonly message: string;
}

const patterns = {
  space: /(?:[\t \r\n\f]|\/\/[^\n]*)+/y,
  escapedName: /`[A-Za-z0-9_./ -]+`/y,
  float: /\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?/y,
  integer: /(?:0x[0-9a-fA-F]+|\d+)([uU]?)/y,
  stringPrefix: /([bB]?)([rR]?)("""|'''|"|')/y,
  escape: /\\(?:[abfnrtv"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/y,
};

/**
 * Splits an expression into tokens, the last of which has kind `end`.
 *
 * Invalid characters are skipped and reported. Takes time linear in the length of the source.
 */
export function tokenize(source: string): { tokens: Token[]; errors: LexicalError[] } {
  const tokens: Token[] = [];
  const errors: LexicalError[] = [];
  let offset = 0;
  while (offset < source.length) {
    offset = endOf(patterns.space, source, offset) ?? offset;
    if (offset >= source.length) break;
    const token = readToken(source, offset);
    if ("message" in token) errors.push(token);
    else tokens.push(token);
    offset = token.end;
  }
  tokens.push({ kind: "end", start: source.length, end: source.length });
  return { tokens, errors };
}

function readToken(source: string, start: number): Token | (LexicalError & { readonly end: number }) {
  const first = source.charCodeAt(start);
  if (isLetter(first)) return readWord(source, start);
  if (first === quote || first === apostrophe) return readString(source, start) ?? unknown(source, start, start);
  if (isDigit(first) || (first === dot && isDigit(source.charCodeAt(start + 1)))) return readNumber(source, start);
  const operator = punctuationKinds.get(source.slice(start, start + 2)) ?? punctuationKinds.get(source.charAt(start));
  if (operator !== undefined) return { kind: operator, start, end: start + operator.length };
  const escapedEnd = endOf(patterns.escapedName, source, start);
  if (escapedEnd !== undefined) return { kind: "ESC_IDENTIFIER", start, end: escapedEnd };
  return unknown(source, start, unknownEnd(source, start));
}

const quote = 0x22;
const apostrophe = 0x27;
const dot = 0x2e;

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isLetter(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || unit === 0x5f;
}

/** Reads an identifier or keyword, or a string with a prefix such as `b"…"`. */
function readWord(source: string, start: number): Token | (LexicalError & { readonly end: number }) {
  let end = start + 1;
  while (isLetter(source.charCodeAt(end)) || isDigit(source.charCodeAt(end))) end++;
  const next = source.charCodeAt(end);
  const text = end - start <= 2 && (next === quote || next === apostrophe) ? readString(source, start) : undefined;
  return text ?? { kind: wordKind(source.slice(start, end)), start, end };
}

function readNumber(source: string, start: number): Token {
  const floatEnd = endOf(patterns.float, source, start);
  if (floatEnd !== undefined) return { kind: "NUM_FLOAT", start, end: floatEnd };
  const [text = "", suffix] = match(patterns.integer, source, start) ?? [];
  return { kind: suffix === "" ? "NUM_INT" : "NUM_UINT", start, end: start + text.length };
}

/** Reads a string or bytes token. Returns an error if it is not terminated, and undefined if there is no such token. */
function readString(source: string, start: number): Token | (LexicalError & { readonly end: number }) | undefined {
  const prefix = match(patterns.stringPrefix, source, start);
  if (prefix === null) return undefined;
  const [opening, bytes = "", raw = "", quote = ""] = prefix;
  const kind = bytes === "" ? "STRING" : "BYTES";
  const body = start + opening.length;
  const closed = raw === "" ? closeQuoted(source, body, quote) : closeRaw(source, body, quote);
  if (closed.found) return { kind, start, end: closed.at };
  // Without closing quotes, """ is the empty string followed by another token.
  if (quote.length === 3) return { kind, start, end: body - 1 };
  // Without a closing quote, b"… is the identifier b followed by another token.
  if (opening.length > 1) return undefined;
  return unknown(source, start, closed.at);
}

/** Returns the end of a raw string, after its closing quote, or the position where the search ended. */
function closeRaw(source: string, body: number, quote: string): { found: boolean; at: number } {
  const end = source.indexOf(quote, body);
  if (quote.length === 3) return end < 0 ? { found: false, at: source.length } : { found: true, at: end + 3 };
  const line = lineEnd(source, body);
  return end < 0 || end > line ? { found: false, at: line } : { found: true, at: end + 1 };
}

function closeQuoted(source: string, body: number, quote: string): { found: boolean; at: number } {
  let at = body;
  while (at < source.length) {
    const character = source[at];
    if (character === "\\") {
      const end = endOf(patterns.escape, source, at);
      if (end === undefined) return { found: false, at: escapeFailure(source, at) };
      at = end;
    } else if (source.startsWith(quote, at)) {
      return { found: true, at: at + quote.length };
    } else if (quote.length === 1 && (character === "\n" || character === "\r")) {
      return { found: false, at };
    } else {
      at++;
    }
  }
  return { found: false, at };
}

/** Returns the position of the first character that cannot be part of an invalid escape sequence. */
function escapeFailure(source: string, backslash: number): number {
  const digits = /[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?/y;
  return endOf(digits, source, backslash + 1) ?? backslash + 1;
}

function lineEnd(source: string, from: number): number {
  for (let at = from; at < source.length; at++) {
    if (source[at] === "\n" || source[at] === "\r") return at;
  }
  return source.length;
}

/** Returns the end of an invalid token. `|`, `&` and `=` are only valid if another character follows. */
function unknownEnd(source: string, start: number): number {
  const first = source[start];
  if (first === "|" || first === "&" || first === "=") return start + 1;
  if (first !== "`") return start;
  return endOf(/`[A-Za-z0-9_./ -]*/y, source, start) ?? start;
}

function unknown(source: string, start: number, failed: number): LexicalError & { readonly end: number } {
  const codePoint = source.codePointAt(failed);
  const end = codePoint === undefined ? failed : failed + String.fromCodePoint(codePoint).length;
  const shown = source.slice(start, end).replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
  return { offset: start, end: Math.max(end, start + 1), message: `token recognition error at: '${shown}'` };
}

function wordKind(word: string): TokenKind {
  return word === "in" || word === "true" || word === "false" || word === "null" ? word : "IDENTIFIER";
}

const punctuationKinds: ReadonlyMap<string, Punctuation> = new Map(
  punctuations.map((text): [string, Punctuation] => [text, text]),
);

function match(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

function endOf(pattern: RegExp, source: string, at: number): number | undefined {
  return match(pattern, source, at) === null ? undefined : pattern.lastIndex;
}
