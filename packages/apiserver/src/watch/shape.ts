import type { Entry } from "../storage/entry.ts";

/** What an event says of its object. */
export type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** An event as it goes to the client; a promise where encoding asks somebody else, such as a conversion webhook. */
export type Frame = Uint8Array | Promise<Uint8Array>;

/**
 * How a watcher's client wants to see objects: in which version, whole or as metadata or as rows of a table, in which encoding.
 *
 * Watchers whose shapes have the same `id` are given the same bytes: an event is encoded once for all of them.
 */
export interface Shape<T> {
  /** Names everything that decides the bytes: `"apps/v1 json"`, `"apps/v1 json table"`. */
  readonly id: string;
  /**
   * Encodes an event. `revision` is the one that the object must show as its own: for `DELETED` it is later than the entry's,
   * which is the last state the client knew.
   */
  encode(type: EventType, entry: Entry<T>, revision: number): Frame;
  /** Encodes a bookmark: everything up to a revision was sent; with `isInitialEnd`, the whole state of the beginning too. */
  bookmark(revision: number, isInitialEnd: boolean): Frame;
}
