import type { ResourceType } from "@homeostat/core";

/** Reason for the end of a watch. */
export type WatchEnding =
  /** The server closed it when its timeout ended. */
  | "closed"
  /** No byte arrived for so long that the connection was abandoned. */
  | "silent"
  /** The version to resume from has expired (410). */
  | "gone"
  /** The server is overloaded (429). */
  | "busy"
  /** The events contradicted what was seen before, or violated the protocol. */
  | "suspicious"
  /** Any other failure. */
  | "failed";

/** Something that happened to an informer, for metrics and logs. */
export type CacheNote =
  /** The full state was fetched, as list, pages or stream, and accepted. */
  | { readonly type: "listed"; readonly objects: number; readonly bytes: number; readonly ms: number }
  /** A list was refused: older than what was seen before (`stale`), or contradicting it (`suspect`, `ambiguous`). */
  | { readonly type: "refused"; readonly outcome: "stale" | "suspect" | "ambiguous" }
  /** A watch was opened. */
  | { readonly type: "watching"; readonly version: string }
  | { readonly type: "ended"; readonly ending: WatchEnding; readonly ms: number; readonly events: number }
  /** The version to resume from, or the continue token of a list, has expired (410): the reflector lists again. */
  | { readonly type: "gone" }
  /** A request failed and will be retried. */
  | { readonly type: "retrying"; readonly error: unknown; readonly inMs: number }
  /** A function supplied by the program threw: an event handler, an index or a transformation. The cache continues. */
  | { readonly type: "error"; readonly error: unknown };

/** Receives a note for everything that happens in a cache. It must not throw, and must return at once. */
export interface CacheObserver {
  /**
   * @param informer The selection of the informer: `deployments.apps in default`.
   * @param type The kind of the informer.
   */
  note(informer: string, note: CacheNote, type: ResourceType): void;
}
