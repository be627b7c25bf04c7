// Texts as Go programs read and print them: clients of an API server, a Go program, see these forms.

import { isList, isRecord } from "@homeostat/core";

/** Bytes that are no UTF-8 stand in a read text as halves of pairs from here on, so that a message can name the byte. */
const strayByte = 0xdc00;

/**
 * The text of UTF-8 bytes, in which a byte that is no UTF-8 becomes half a pair (0xDC80 to 0xDCFF).
 *
 * {@link withoutStrayBytes} makes of them what Go makes of them. Bytes that are UTF-8 take the fast way.
 */
export function readUtf8(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return text.includes("\ufffd") ? readUtf8Slowly(bytes) : text;
}

function readUtf8Slowly(bytes: Uint8Array): string {
  const parts: string[] = [];
  let start = 0;
  let at = 0;
  const flush = (): void => {
    if (at > start) parts.push(Buffer.from(bytes.subarray(start, at)).toString("utf8"));
  };
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length > 0) at += length;
    else {
      flush();
      parts.push(String.fromCharCode(strayByte + (bytes[at] ?? 0)));
      at += 1;
      start = at;
    }
  }
  flush();
  return parts.join("");
}

/** How many bytes the UTF-8 sequence at a place has; 0 when there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (let i = 1; i < length; i += 1) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  const second = bytes[at + 1] ?? 0;
  // Longer than needed, half a pair, or past the last code point.
  if ((first === 0xe0 && second < 0xa0) || (first === 0xed && second > 0x9f)) return 0;
  return (first === 0xf0 && second < 0x90) || (first === 0xf4 && second > 0x8f) ? 0 : length;
}

const loneHalf = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The text with U+FFFD for every half of a pair, which is what Go reads in their place. */
export function withoutStrayBytes(text: string): string {
  return text.replace(loneHalf, "\ufffd");
}

/** The byte of UTF-8 that begins at a place of a text made by {@link readUtf8}. */
export function byteAt(text: string, at: number): number {
  const point = text.codePointAt(at) ?? 0;
  if (point < 0x80) return point;
  if (point >= 0xdc80 && point <= 0xdcff) return point - strayByte;
  if (point < 0x800) return 0xc0 | (point >> 6);
  return point < 0x10000 ? 0xe0 | (point >> 12) : 0xf0 | (point >> 18);
}

/** Orders texts by their UTF-8 bytes, as Go does. */
export function compareBytes(a: string, b: string): number {
  // Units order as bytes do unless a half of a pair meets a character that comes after all halves.
  return isPlain(a) && isPlain(b) ? (a < b ? -1 : a > b ? 1 : 0) : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) >= 0xd800) return false;
  return true;
}

/** A JSON value as Go's `%v` prints it: `map[a:1 b:[x y]]`. What is nested deeper than 200 levels shows as `…`. */
export function printGo(value: unknown, depth = 0): string {
  if (depth > 200) return "…";
  if (value === null || value === undefined) return "<nil>";
  if (isList(value)) return `[${value.map((each) => printGo(each, depth + 1)).join(" ")}]`;
  if (isRecord(value)) {
    const keys = Object.keys(value).sort(compareBytes);
    return `map[${keys.map((key) => `${key}:${printGo(value[key], depth + 1)}`).join(" ")}]`;
  }
  if (typeof value === "number") return printNumber(value);
  return typeof value === "string"
    ? value
    : typeof value === "bigint" || typeof value === "boolean"
      ? String(value)
      : "";
}

function printNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value + 0);
  const [digits = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 21) return String(value);
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
