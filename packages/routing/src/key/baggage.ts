// Reads members of the header `baggage` (https://www.w3.org/TR/baggage/) without creating an object per member.
//
// A member is found by searching for its name in the whole text and looking at what surrounds it: commas always separate members, so a name
// between a comma (or the start) and `=` is the key of a member. The search for a name is native and fast; most requests end there.

import { isOws, sliceTrimmed } from "../request/header-value.ts";

/** Maximum length of baggage that is read or written, in bytes. */
export const baggageBytesMax = 8192;
/** Maximum number of members that are read. The limit for writing is lower: every platform must accept 64. */
const membersMax = 180;

const comma = 0x2c;
const semicolon = 0x3b;
const equals = 0x3d;

/**
 * Returns the end of the part of the text that is read: the whole text, or the last complete member within the limits. A result below the length of
 * the text means that it was truncated. Empty members count.
 */
export function endOfBaggage(baggage: string): number {
  const { length } = baggage;
  // A text this short cannot have more members.
  if (length < membersMax) return length;
  let end = length;
  if (length > baggageBytesMax) end = Math.max(baggage.lastIndexOf(",", baggageBytesMax), 0);
  let members = 0;
  for (let at = baggage.indexOf(","); at !== -1 && at < end; at = baggage.indexOf(",", at + 1)) {
    members += 1;
    if (members === membersMax) return at;
  }
  return end;
}

/**
 * Returns the value of the first member with a name, without properties and surrounding whitespace and not decoded; undefined if there is none. Reads
 * up to `end`, a result of {@link endOfBaggage}.
 */
export function findBaggageMember(baggage: string, name: string, end: number): string | undefined {
  for (let at = baggage.indexOf(name); at !== -1 && at < end; at = baggage.indexOf(name, at + 1)) {
    const valueStart = valueStartOf(baggage, at, at + name.length);
    if (valueStart === -1) continue;
    let valueEnd = valueStart;
    while (valueEnd < end && !isSeparator(baggage.charCodeAt(valueEnd))) valueEnd += 1;
    return sliceTrimmed(baggage, valueStart, valueEnd);
  }
  return undefined;
}

/** Returns the index after `=` if the text between two positions is the whole key of a member, else -1. */
export function valueStartOf(baggage: string, keyStart: number, keyEnd: number): number {
  let before = keyStart - 1;
  while (before >= 0 && isOws(baggage.charCodeAt(before))) before -= 1;
  if (before >= 0 && baggage.charCodeAt(before) !== comma) return -1;
  let after = keyEnd;
  while (isOws(baggage.charCodeAt(after))) after += 1;
  return baggage.charCodeAt(after) === equals ? after + 1 : -1;
}

function isSeparator(code: number): boolean {
  return code === comma || code === semicolon;
}

/**
 * Decodes the value of a member: `%` sequences are bytes, and all bytes together are UTF-8, with U+FFFD for invalid ones. A `%` without two
 * hexadecimal digits stands for itself.
 */
export function decodeBaggageValue(value: string): string {
  if (!/[%\u0080-\uffff]/.test(value)) return value;
  const bytes = new Uint8Array(value.length);
  let length = 0;
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    const decoded = code === 0x25 ? hexByteAt(value, at + 1) : -1;
    if (decoded !== -1) at += 2;
    // A code unit above 255 is no byte of a header; 0xff is never valid in UTF-8.
    bytes[length] = decoded === -1 ? Math.min(code, 0xff) : decoded;
    length += 1;
  }
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, length));
}

function hexByteAt(text: string, at: number): number {
  const digits = text.slice(at, at + 2);
  return /^[0-9a-f]{2}$/i.test(digits) ? Number.parseInt(digits, 16) : -1;
}
