/** State and counters of an informer. Times are in milliseconds since the epoch. */
export interface InformerHealth {
  /** `stopped` before the informer runs and after it has stopped; otherwise the state of its reflector. */
  readonly state: "stopped" | "empty" | "listing" | "streaming" | "watching";
  /** True once the first list was accepted. From then on the cache may lag behind the server, but is never partial. */
  readonly isSynced: boolean;
  /** Version up to which the server has reported everything. */
  readonly version: string | undefined;
  readonly lastByteAt: number | undefined;
  readonly lastEventAt: number | undefined;
  readonly lastBookmarkAt: number | undefined;
  /** Accepted lists. Each one after the first was caused by something counted below. */
  readonly lists: number;
  /** Refused lists: older than what was seen before, or contradicting it. */
  readonly refusedLists: number;
  /** Watches opened after the first. */
  readonly reconnects: number;
  /** Number of 410 responses: the version to resume from, or the continue token, had expired. */
  readonly gone: number;
  /** Connections abandoned because no byte arrived. */
  readonly silences: number;
  /** Number of 429 responses. */
  readonly busy: number;
  /** Consecutive failures since the last success. */
  readonly failures: number;
  /** The last failure; undefined after a success. */
  readonly error: unknown;
}

/** The writable side of {@link InformerHealth}. */
export type HealthRecord = { -readonly [K in keyof InformerHealth]: InformerHealth[K] };

/** Returns the state of a new informer. */
export function newHealth(): HealthRecord {
  return {
    state: "stopped",
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
