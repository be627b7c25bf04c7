import type { ResourceType } from "@homeostat/core";

/** Why a watch ended. */
export type WatchEnding =
  /** The server closed it, as it does after a while. */
  | "closed"
  /** No byte came for so long that the connection was given up. */
  | "silent"
  /** The version to go on from is too old (410). */
  | "gone"
  /** The server has too much to do (429). */
  | "busy"
  /** What came was not as the protocol promises. */
  | "suspicious"
  /** Anything else. */
  | "failed";

/** Something that happened to an informer, for metrics and logs. */
export type CacheNote =
  /** Everything was listed, in whatever form, and taken in. */
  | { readonly type: "listed"; readonly objects: number; readonly bytes: number; readonly ms: number }
  /** A list was refused: see `ListOutcome`. */
  | { readonly type: "refused"; readonly outcome: "stale" | "suspect" | "ambiguous" }
  /** A watch was opened. */
  | { readonly type: "watching"; readonly version: string }
  | { readonly type: "ended"; readonly ending: WatchEnding; readonly ms: number; readonly events: number }
  /** The version to go on from, or the rest of a list, is forgotten (410): everything is listed again. */
  | { readonly type: "gone" }
  /** Something failed and is tried again. */
  | { readonly type: "retrying"; readonly error: unknown; readonly inMs: number }
  /** A function of the program threw: a handler, an index, a transformation. The cache goes on. */
  | { readonly type: "error"; readonly error: unknown };

/** Told what happens in a cache. It must not throw or wait. */
export interface CacheObserver {
  /**
   * @param informer What the informer is about: `deployments.apps in default`.
   * @param type Its kind.
   */
  note(informer: string, note: CacheNote, type: ResourceType): void;
}
