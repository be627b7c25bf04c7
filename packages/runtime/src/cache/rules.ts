// The decisions on which the correctness of the cache depends, as pure functions of versions. docs/internals/cache.md
// explains how they work together and why each is safe.

import type { Version } from "./version.ts";

/**
 * The action to take for an incoming object.
 *
 * - `ignore`: it is outdated.
 * - `insert`: it is new.
 * - `replace`: it is a newer version of the stored object.
 * - `recreate`: it is another object of the same name; the stored one was deleted.
 * - `remove`: the stored object was deleted, or no longer matches the selection.
 * - `confirm`: it is exactly what is stored.
 * - `displace`: the stored object was deleted, and only the server knows whether its successor matches the selection.
 * - `superseded`: the stored object is newer, because of an own write.
 * - `suspect`: impossible, unless the server shows an older state than before or an event was lost.
 */
export type Verdict =
  | "ignore"
  | "insert"
  | "replace"
  | "recreate"
  | "remove"
  | "displace"
  | "confirm"
  | "superseded"
  | "suspect";

/** The stored object with the name of the incoming one. */
export interface Known {
  readonly version: Version | undefined;
  /** True if it has the same uid; otherwise it is an earlier or later object of the same name. */
  readonly isSameUid: boolean;
}

/** A watch event, as seen by the rules. */
export interface WatchInput {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly version: Version | undefined;
  readonly known: Known | undefined;
  /** Version up to which the server has reported everything. */
  readonly highWater: Version | undefined;
}

/** A list item, as seen by the rules. */
export interface ListInput {
  readonly version: Version | undefined;
  readonly known: Known | undefined;
  /** High-water mark at the start of the list. */
  readonly highWater: Version | undefined;
}

/** The response to an own write, as seen by the rules. */
export interface WriteInput {
  readonly version: Version;
  readonly known: Known | undefined;
  readonly highWater: Version | undefined;
  /**
   * True if the object matches the informer's selection; undefined if only the server can decide (field selectors).
   */
  readonly isSelected: boolean | undefined;
}

/** The decisions of the ledger. Replaceable, so that tests can plant faults. */
export interface Rules {
  onEvent(input: WatchInput): Verdict;
  onListed(input: ListInput): Verdict;
  onWrite(input: WriteInput): Verdict;
  /** Reports whether a whole list is older than what the server has shown before. */
  isStaleList(version: Version | undefined, highWater: Version | undefined): boolean;
  /** Reports whether an object missing from a list is kept: it was written by this process after the list was made. */
  outlivesList(object: Version | undefined, list: Version | undefined): boolean;
}

/** The rules of the cache. Versions that are not numbers cannot be compared; then the order of arrival decides. */
export const standardRules: Rules = {
  onEvent({ type, version, known, highWater }) {
    const isDeletion = type === "DELETED";
    // A watch delivers changes in order, so an event at or below the high-water mark is a repetition after a
    // reconnect. Exception: a server that does not give deletions a version of their own repeats the object's last
    // version in the DELETED event. That is not a repetition as long as the object is stored at this version.
    if (isAtMost(version, highWater) && !(isDeletion && known?.isSameUid === true && version === known.version)) {
      return "ignore";
    }
    if (known === undefined) return isDeletion ? "ignore" : "insert";
    const isOlder = isBefore(version, known.version);
    if (isDeletion) return isOlder ? "superseded" : "remove";
    if (isOlder) return "superseded";
    if (!known.isSameUid) return "recreate";
    return version !== undefined && version === known.version ? "confirm" : "replace";
  },

  onListed({ version, known, highWater }) {
    // The server has reported everything up to the high-water mark. An unknown object at or below it, or a stored
    // object that the server has shown at a later version, means that the list is older than it claims or that an
    // event was lost.
    if (known === undefined) return isAtMost(version, highWater) ? "suspect" : "insert";
    if (isBefore(version, known.version)) return isAtMost(known.version, highWater) ? "suspect" : "superseded";
    if (!known.isSameUid) return "recreate";
    return version !== undefined && version === known.version ? "confirm" : "replace";
  },

  onWrite({ version, known, highWater, isSelected }) {
    // The watch is past this version, so the store already has this state or a newer one, or the object was deleted
    // since.
    if (isAtMost(version, highWater)) return "ignore";
    if (known !== undefined && !isBefore(known.version, version)) return "ignore";
    if (isSelected === false) return "remove";
    // If only the server can decide about the selection, a new object is left to the watch. A stored object that was
    // selected so far is replaced: if it left the selection, the watch will remove it.
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
