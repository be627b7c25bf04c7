import { once } from "@homeostat/core";
import { codePointAt, isAscii, toByteText, widthOf } from "./utf8-text.ts";

const named = new Map([
  [0x07, "\\a"],
  [0x08, "\\b"],
  [0x09, "\\t"],
  [0x0a, "\\n"],
  [0x0b, "\\v"],
  [0x0c, "\\f"],
  [0x0d, "\\r"],
  [0x22, '\\"'],
  [0x5c, "\\\\"],
]);

// Compiled on first use: compiling these Unicode classes is slow.
const visible = once(() => /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u);

/**
 * Quotes a string as Go's `strconv.Quote` does in messages of Kubernetes: characters that are not printable are escaped.
 *
 * Printability follows the Unicode tables of the JavaScript engine, which may differ slightly from those of the Go version that
 * Kubernetes is built with.
 */
export function quote(text: string): string {
  return quoteBytes(toByteText(text));
}

/** Quotes a byte string, which may be cut in the middle of a character. */
export function quoteBytes(bytes: string): string {
  if (isAscii(bytes) && !/[^ -~]|["\\]/.test(bytes)) return `"${bytes}"`;
  let quoted = '"';
  for (let at = 0; at < bytes.length;) {
    const point = codePointAt(bytes, at);
    if (point === undefined) {
      quoted += `\\x${hex(bytes.charCodeAt(at), 2)}`;
      at += 1;
    } else {
      quoted += escape(point);
      at += widthOf(point);
    }
  }
  return `${quoted}"`;
}

function escape(point: number): string {
  const short = named.get(point);
  if (short !== undefined) return short;
  const character = String.fromCodePoint(point);
  if (character === " " || visible().test(character)) return character;
  if (point < 0x20 || point === 0x7f) return `\\x${hex(point, 2)}`;
  return point < 0x10000 ? `\\u${hex(point, 4)}` : `\\U${hex(point, 8)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
