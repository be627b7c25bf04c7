import { CelUint } from "../values/value.ts";
import { isInt64, isUint64 } from "../values/int64.ts";

/** The problem of a literal that is well-formed but has no valid value. */
export class BadLiteral {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Parses an int token, with the sign before it. */
export function readInt(text: string, negative: boolean): bigint | BadLiteral {
  if (text.length > 100) return new BadLiteral("invalid int literal");
  const value = negative ? -BigInt(text) : BigInt(text);
  return isInt64(value) ? value : new BadLiteral("invalid int literal");
}

/** Parses a uint token such as `1u`. */
export function readUint(text: string): CelUint | BadLiteral {
  if (text.length > 100) return new BadLiteral("invalid uint literal");
  const value = BigInt(text.slice(0, -1));
  return isUint64(value) ? new CelUint(value) : new BadLiteral("invalid uint literal");
}

/** Parses a double token, with the sign before it. */
export function readFloat(text: string, negative: boolean): number | BadLiteral {
  const value = Number(text);
  if (!Number.isFinite(value)) return new BadLiteral("invalid double literal");
  return negative ? -value : value;
}

/** Parses a string token. */
export function readText(token: string): string | BadLiteral {
  const { body, raw } = unquote(token);
  if (raw || !body.includes("\\")) return body;
  let problem: BadLiteral | undefined;
  const text = body.replace(escapePattern, (escape) => {
    const codePoint = escapedCodePoint(escape);
    if (codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint <= 0xdfff)) {
      problem ??= new BadLiteral("invalid unicode code point");
      return "";
    }
    return String.fromCodePoint(codePoint);
  });
  return problem ?? text;
}

/** Parses a bytes token: characters are encoded in UTF-8, `\x` and octal escapes are single bytes. */
export function readBytes(token: string): Uint8Array | BadLiteral {
  const { body, raw } = unquote(token.slice(1));
  const encoder = new TextEncoder();
  if (raw || !body.includes("\\")) return encoder.encode(body);
  const bytes: number[] = [];
  let problem: BadLiteral | undefined;
  let at = 0;
  for (const match of body.matchAll(escapePattern)) {
    for (const byte of encoder.encode(body.slice(at, match.index))) bytes.push(byte);
    at = match.index + match[0].length;
    if (/^\\[uU]/.test(match[0])) problem ??= new BadLiteral("unable to unescape string");
    else bytes.push(escapedCodePoint(match[0]));
  }
  for (const byte of encoder.encode(body.slice(at))) bytes.push(byte);
  return problem ?? Uint8Array.from(bytes);
}

function unquote(token: string): { body: string; raw: boolean } {
  const raw = /^[rR]/.test(token);
  const quoted = (raw ? token.slice(1) : token).replace(/\r\n?/g, "\n");
  const triple = quoted.length >= 6 && (quoted.startsWith('"""') || quoted.startsWith("'''"));
  return { body: triple ? quoted.slice(3, -3) : quoted.slice(1, -1), raw };
}

const escapePattern = /\\(?:[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)/gs;

const simpleEscapes: ReadonlyMap<string, number> = new Map([
  ["a", 7],
  ["b", 8],
  ["t", 9],
  ["n", 10],
  ["v", 11],
  ["f", 12],
  ["r", 13],
]);

/** Returns the code point (in bytes, the byte) of an escape sequence. */
function escapedCodePoint(escape: string): number {
  const letter = escape.charAt(1);
  if (/[xXuU]/.test(letter)) return Number.parseInt(escape.slice(2), 16);
  if (/[0-3]/.test(letter)) return Number.parseInt(escape.slice(1), 8);
  return simpleEscapes.get(letter) ?? letter.charCodeAt(0);
}
