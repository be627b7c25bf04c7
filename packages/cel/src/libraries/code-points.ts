import { codePointLength } from "@homeostat/core";
import { Malformed } from "./malformed.ts";

/*
 * Strings in CEL are sequences of code points, and strings in JavaScript of 16-bit units. Where a text has no surrogates
 * the two count alike, so most calls never walk the text.
 */

const surrogates = /[\ud800-\udfff]/;

/** The code point at an index, as text; empty at the very end. */
export function characterAt(text: string, index: bigint): string | Malformed {
  const unit = unitAt(text, index);
  if (unit === undefined) return outOfRange(index);
  const point = text.codePointAt(unit);
  return point === undefined ? "" : String.fromCodePoint(point);
}

/** The text between two indexes, or to its end. */
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

/** The index of the first place at or after `offset` where `part` stands; -1 when there is none. */
export function indexOfText(text: string, part: string, offset: bigint): bigint | Malformed {
  if (part === "") return offset;
  if (offset < 0n) return outOfRange(offset);
  const from = unitAt(text, offset);
  return from === undefined ? -1n : indexOfUnit(text, text.indexOf(part, from));
}

/** The index of the last place, at or before `offset`, where `part` stands; -1 when there is none. */
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

/** The 16-bit unit at which a code point begins; the length of the text for the index after the last one. */
function unitAt(text: string, index: bigint): number | undefined {
  if (index < 0n || index > BigInt(text.length)) return undefined;
  const wanted = Number(index);
  if (!surrogates.test(text)) return wanted;
  let unit = 0;
  let seen = 0;
  for (const character of text) {
    if (seen === wanted) return unit;
    seen += 1;
    unit += character.length;
  }
  return seen === wanted ? unit : undefined;
}

/** The index of the code point that begins at a unit; -1 stays -1. */
function indexOfUnit(text: string, unit: number): bigint {
  return BigInt(unit < 0 ? -1 : codePointLength(text.slice(0, unit)));
}
