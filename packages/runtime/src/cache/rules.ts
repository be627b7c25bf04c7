// What to make of news about one object: every decision that the correctness of the cache rests on, as pure functions.
// How they fit together, and why each is safe, is told in docs/internals/cache.md.

import type { Version } from "./version.ts";

/**
 * What is to be done about an object.
 *
 * - `ignore`: it is old news.
 * - `insert`: it is new.
 * - `replace`: it is a newer version of the one that is there.
 * - `recreate`: it is another object of the same name; the one that is there has gone.
 * - `remove`: the one that is there has gone.
 * - `confirm`: it is exactly what is there.
 * - `displace`: the one that is there has gone, and only the server knows whether the one that took its name is selected.
 * - `passed`: what is there is newer already, by a write of our own.
 * - `suspect`: it cannot be, unless the server shows an older state than it has shown before, or something was lost.
 */
export type Verdict =
  | "ignore"
  | "insert"
  | "replace"
  | "recreate"
  | "remove"
  | "displace"
  | "confirm"
  | "passed"
  | "suspect";

/** What the store has under the name in question. */
export interface Known {
  readonly version: Version | undefined;
  /** Whether it is the same object, and not an earlier or later one of the same name. */
  readonly isSameUid: boolean;
}

/** An event of a watch. */
export interface WatchNews {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly version: Version | undefined;
  readonly known: Known | undefined;
  /** The version up to which the server has told everything. */
  readonly highWater: Version | undefined;
}

/** An item of a list. */
export interface ListNews {
  readonly version: Version | undefined;
  readonly known: Known | undefined;
  /** The version up to which everything was known when the list began. */
  readonly highWater: Version | undefined;
}

/** The answer to a write of our own. */
export interface WriteNews {
  readonly version: Version;
  readonly known: Known | undefined;
  readonly highWater: Version | undefined;
  /** Whether the selection of the informer has the object; undefined when only the server could say. */
  readonly isSelected: boolean | undefined;
}

/** The decisions, by occasion. */
export interface Rules {
  onEvent(news: WatchNews): Verdict;
  onListed(news: ListNews): Verdict;
  onWrite(news: WriteNews): Verdict;
  /** Whether a whole list is older than what the server has shown before. */
  isStaleList(version: Version | undefined, highWater: Version | undefined): boolean;
  /** Whether an object that a list lacks is to be kept: it was written by ourselves after the list was made. */
  outlivesList(object: Version | undefined, list: Version | undefined): boolean;
}

/** The rules of the cache. Versions that are not numbers cannot be compared; then the order of arrival decides. */
export const standardRules: Rules = {
  onEvent({ type, version, known, highWater }) {
    const isDeletion = type === "DELETED";
    // A watch tells everything in order. What it tells twice, after it began again, was told before. A server that does not
    // give a deletion a version of its own repeats the object's: that is no old news as long as the object is here.
    if (isAtMost(version, highWater) && !(isDeletion && known?.isSameUid === true && version === known.version)) {
      return "ignore";
    }
    if (known === undefined) return isDeletion ? "ignore" : "insert";
    const isOlder = isBefore(version, known.version);
    if (isDeletion) return isOlder ? "passed" : "remove";
    if (isOlder) return "passed";
    if (!known.isSameUid) return "recreate";
    return version !== undefined && version === known.version ? "confirm" : "replace";
  },

  onListed({ version, known, highWater }) {
    if (known === undefined) return isAtMost(version, highWater) ? "suspect" : "insert";
    if (isBefore(version, known.version)) return isAtMost(known.version, highWater) ? "suspect" : "passed";
    if (!known.isSameUid) return "recreate";
    return version !== undefined && version === known.version ? "confirm" : "replace";
  },

  onWrite({ version, known, highWater, isSelected }) {
    // The watch is past this version: what the store has, or has no longer, is the truth.
    if (isAtMost(version, highWater)) return "ignore";
    if (known !== undefined && !isBefore(known.version, version)) return "ignore";
    if (isSelected === false) return "remove";
    if (known === undefined) return isSelected === undefined ? "ignore" : "insert";
    if (known.isSameUid) return "replace";
    return isSelected === undefined ? "displace" : "recreate";
  },

  isStaleList: (version, highWater) => isBefore(version, highWater),

  outlivesList: (object, list) => isBefore(list, object),
};

function isBefore(a: Version | undefined, b: Version | undefined): boolean {
  return a !== undefined && b !== undefined && a < b;
}

function isAtMost(a: Version | undefined, b: Version | undefined): boolean {
  return a !== undefined && b !== undefined && a <= b;
}
