import { once } from "@homeostat/core";

/** A set of code points as sorted, inclusive ranges that neither overlap nor touch. */
export type CharSet = readonly (readonly [first: number, last: number])[];

/** The largest code point. */
export const codePointMax = 0x10ffff;

/** Returns the set of ranges in any order. */
export function charSet(ranges: Iterable<readonly [number, number]>): CharSet {
  const merged: [number, number][] = [];
  for (const [first, last] of [...ranges].sort(([a], [b]) => a - b)) {
    const previous = merged.at(-1);
    if (previous !== undefined && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else merged.push([first, last]);
  }
  return merged;
}

/** Returns the set of the characters of a string. */
export function charsOf(text: string): CharSet {
  return charSet(Array.from(text, (character) => character.codePointAt(0) ?? 0).map((code) => [code, code] as const));
}

/** Returns all code points that are not in a set. */
export function complement(set: CharSet): CharSet {
  const rest: [number, number][] = [];
  let next = 0;
  for (const [first, last] of set) {
    if (first > next) rest.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= codePointMax) rest.push([next, codePointMax]);
  return rest;
}

/** Reports whether a set contains a code point. */
export function holds(set: CharSet, code: number): boolean {
  return set.some(([first, last]) => first <= code && code <= last);
}

/** The Perl classes such as `\d`. In RE2 they contain only ASCII characters. */
export const perlClasses: () => ReadonlyMap<string, CharSet> = once(() => {
  const digits: CharSet = [[0x30, 0x39]];
  const words = charSet([...digits, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]);
  const spaces = charsOf("\t\n\f\r ");
  return new Map([
    ["d", digits],
    ["D", complement(digits)],
    ["w", words],
    ["W", complement(words)],
    ["s", spaces],
    ["S", complement(spaces)],
  ]);
});
