/*
 * Kubernetes processes some strings as bytes: URLs, lengths of names, quoting in messages. A byte string is a JavaScript string with
 * one character from U+0000 to U+00FF per UTF-8 byte, so that the usual string functions can split it anywhere.
 */

const replacement = 0xfffd;

/** Returns the UTF-8 bytes of a string as a byte string. Unpaired surrogates become U+FFFD, as when Go decodes JSON. */
export function toByteText(text: string): string {
  if (isAscii(text)) return text;
  let bytes = "";
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += encode(point >= 0xd800 && point <= 0xdfff ? replacement : point);
  }
  return bytes;
}

/** Decodes a byte string. Every byte that is not part of valid UTF-8 becomes one U+FFFD. */
export function fromByteText(bytes: string): string {
  if (isAscii(bytes)) return bytes;
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const point = codePointAt(bytes, at);
    text += String.fromCodePoint(point ?? replacement);
    at += point === undefined ? 1 : widthOf(point);
  }
  return text;
}

/** Returns the code point that starts at a position of a byte string; undefined if no valid sequence starts there. */
export function codePointAt(bytes: string, at: number): number | undefined {
  const first = bytes.charCodeAt(at);
  if (first < 0x80) return first;
  const width = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + width > bytes.length) return undefined;
  let point = first & (0xff >> (width + 1));
  for (let offset = 1; offset < width; offset++) {
    const next = bytes.charCodeAt(at + offset);
    if ((next & 0xc0) !== 0x80) return undefined;
    point = (point << 6) | (next & 0x3f);
  }
  const tooLong = widthOf(point) !== width;
  return tooLong || (point >= 0xd800 && point <= 0xdfff) || point > 0x10ffff ? undefined : point;
}

/** Returns the number of UTF-8 bytes of a code point. */
export function widthOf(point: number): number {
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

/** Reports whether every character is below U+0080, so that a string and its byte string are the same. */
export function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) >= 0x80) return false;
  }
  return true;
}

function encode(point: number): string {
  const tail = (shift: number): number => 0x80 | ((point >> shift) & 0x3f);
  switch (widthOf(point)) {
    case 1:
      return String.fromCharCode(point);
    case 2:
      return String.fromCharCode(0xc0 | (point >> 6), tail(0));
    case 3:
      return String.fromCharCode(0xe0 | (point >> 12), tail(6), tail(0));
    default:
      return String.fromCharCode(0xf0 | (point >> 18), tail(12), tail(6), tail(0));
  }
}
