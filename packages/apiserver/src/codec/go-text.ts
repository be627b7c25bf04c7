// Strings as Go reads and prints them, for clients that expect the behaviour of a Go server.

import { isList, isRecord } from "@homeostat/core";

/**
 * Bytes that are not valid UTF-8 are represented as lone surrogates from here on, so that an error can name the byte.
 */
const strayByte = 0xdc00;

/**
 * Decodes UTF-8. A byte that is not valid UTF-8 becomes a lone surrogate (0xDC80 to 0xDCFF).
 *
 * {@link withoutStrayBytes} converts these as Go does. Valid UTF-8 takes a fast path.
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

/** Returns the length of the UTF-8 sequence at an offset; 0 if it is invalid. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (let i = 1; i < length; i += 1) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  const second = bytes[at + 1] ?? 0;
  // Overlong encodings, surrogates, and code points beyond U+10FFFF are invalid.
  if ((first === 0xe0 && second < 0xa0) || (first === 0xed && second > 0x9f)) return 0;
  return (first === 0xf0 && second < 0x90) || (first === 0xf4 && second > 0x8f) ? 0 : length;
}

const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Replaces every lone surrogate by U+FFFD, as Go decodes invalid bytes. */
export function withoutStrayBytes(text: string): string {
  return text.replace(loneSurrogate, "\ufffd");
}

/** Returns the UTF-8 byte at an index of a text from {@link readUtf8}. */
export function byteAt(text: string, at: number): number {
  const point = text.codePointAt(at) ?? 0;
  if (point < 0x80) return point;
  if (point >= 0xdc80 && point <= 0xdcff) return point - strayByte;
  if (point < 0x800) return 0xc0 | (point >> 6);
  return point < 0x10000 ? 0xe0 | (point >> 12) : 0xf0 | (point >> 18);
}

/** Orders strings by their UTF-8 bytes, as Go does. */
export function compareBytes(a: string, b: string): number {
  // UTF-16 units and UTF-8 bytes order the same unless surrogates are compared with characters from U+E000 on.
  return hasNoSurrogates(a) && hasNoSurrogates(b)
    ? a < b
      ? -1
      : a > b
        ? 1
        : 0
    : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function hasNoSurrogates(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) >= 0xd800) return false;
  return true;
}

/** Formats a JSON value as Go's `%v` does: `map[a:1 b:[x y]]`. Levels deeper than 200 are shown as `…`. */
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
