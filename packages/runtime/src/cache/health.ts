/** Where an informer stands, and what it has been through. Times are times of day in milliseconds. */
export interface InformerHealth {
  /** `stopped` before it runs and after; otherwise the state of its reflector. */
  readonly at: "stopped" | "empty" | "listing" | "streaming" | "watching";
  /** Whether it has ever had everything. From then on it is at most behind, never incomplete. */
  readonly isSynced: boolean;
  /** The version up to which the server has told everything. */
  readonly version: string | undefined;
  readonly lastByteAt: number | undefined;
  readonly lastEventAt: number | undefined;
  readonly lastBookmarkAt: number | undefined;
  /** Lists that were taken in. After the first, each was forced by something in this table. */
  readonly lists: number;
  /** Lists that were older than what was seen, or had what should have been known. */
  readonly refusedLists: number;
  /** Watches opened after the first. */
  readonly reconnects: number;
  /** How often the version to go on from was too old (410). */
  readonly gone: number;
  /** How often a connection was given up because no byte came. */
  readonly silences: number;
  /** How often the server said that it has too much to do (429). */
  readonly busy: number;
  /** Failures since the last success. */
  readonly failures: number;
  /** The last failure, until the next success. */
  readonly error: unknown;
}

/** The writable side of {@link InformerHealth}. */
export type HealthRecord = { -readonly [K in keyof InformerHealth]: InformerHealth[K] };

/** How an informer begins. */
export function newHealth(): HealthRecord {
  return {
    at: "stopped",
    isSynced: false,
    version: undefined,
    lastByteAt: undefined,
    lastEventAt: undefined,
    lastBookmarkAt: undefined,
    lists: 0,
    refusedLists: 0,
    reconnects: 0,
    gone: 0,
    silences: 0,
    busy: 0,
    failures: 0,
    error: undefined,
  };
}
