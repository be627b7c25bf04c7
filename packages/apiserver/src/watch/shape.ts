import type { Entry } from "../storage/entry.ts";

/** Type of a watch event about an object. */
export type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** An encoded event. A promise if encoding needs a remote call, such as a conversion webhook. */
export type Frame = Uint8Array | Promise<Uint8Array>;

/**
 * The representation a client requested: API version, encoding, and whole object, metadata only or table.
 *
 * Watchers whose shapes have the same `id` get the same bytes: an event is encoded once for all of them.
 */
export interface Shape<T> {
  /** Identifies everything that determines the bytes: `"apps/v1 json"`, `"apps/v1 json table"`. */
  readonly id: string;
  /**
   * Encodes an event. The object must show `revision` as its resourceVersion. For `DELETED` that is the revision of the
   * deletion, later than the revision of the entry, which is the last state that the client knew.
   */
  encode(type: EventType, entry: Entry<T>, revision: number): Frame;
  /**
   * Encodes a bookmark: all events up to a revision were sent. `isInitialEnd` marks the end of the initial state (a
   * streaming list).
   */
  bookmark(revision: number, isInitialEnd: boolean): Frame;
}
