import { codePointLength } from "@homeostat/core";
import { Malformed } from "./malformed.ts";

/*
 * CEL strings are sequences of code points, JavaScript strings of UTF-16 code units. Without surrogates the indexes are the same, so
 * most calls do not traverse the string.
 */

const surrogates = /[\ud800-\udfff]/;

/** Returns the character at an index; empty at the end of the string. */
export function characterAt(text: string, index: bigint): string | Malformed {
  const unit = unitAt(text, index);
  if (unit === undefined) return outOfRange(index);
  const point = text.codePointAt(unit);
  return point === undefined ? "" : String.fromCodePoint(point);
}

/** Returns the substring between two indexes, or up to the end. */
export function substring(text: string, start: bigint, end?: bigint): string | Malformed {
  if (end !== undefined && start > end) {
    return new Malformed(`invalid substring range. start: ${start}, end: ${end}`);
  }
  const from = unitAt(text, start);
  if (from === undefined) return outOfRange(start);
  if (end === undefined) return text.slice(from);
  const to = unitAt(text, end);
  return to === undefined ? outOfRange(end) : text.slice(from, to);
}

/** Returns the index of the first occurrence of `part` at or after `offset`; -1 if there is none. */
export function indexOfText(text: string, part: string, offset: bigint): bigint | Malformed {
  if (part === "") return offset;
  if (offset < 0n) return outOfRange(offset);
  const from = unitAt(text, offset);
  return from === undefined ? -1n : indexOfUnit(text, text.indexOf(part, from));
}

/** Returns the index of the last occurrence of `part` at or before `offset`; -1 if there is none. */
export function lastIndexOfText(text: string, part: string, offset?: bigint): bigint | Malformed {
  if (offset === undefined) {
    return part === "" ? BigInt(codePointLength(text)) : indexOfUnit(text, text.lastIndexOf(part));
  }
  if (part === "") return offset;
  if (offset < 0n) return outOfRange(offset);
  const from = unitAt(text, offset);
  return from === undefined || from === text.length ? -1n : indexOfUnit(text, text.lastIndexOf(part, from));
}

function outOfRange(index: bigint): Malformed {
  return new Malformed(`index out of range: ${index}`);
}

/** Returns the index of the code unit at which a code point starts; the length of the string for the index after the last one. */
function unitAt(text: string, index: bigint): number | undefined {
  if (index < 0n || index > BigInt(text.length)) return undefined;
  const target = Number(index);
  if (!surrogates.test(text)) return target;
  let unit = 0;
  let seen = 0;
  for (const character of text) {
    if (seen === target) return unit;
    seen += 1;
    unit += character.length;
  }
  return seen === target ? unit : undefined;
}

/** Returns the index of the code point that starts at a code unit. Returns -1 for -1. */
function indexOfUnit(text: string, unit: number): bigint {
  return BigInt(unit < 0 ? -1 : codePointLength(text.slice(0, unit)));
}
