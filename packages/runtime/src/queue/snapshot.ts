import type { Entry } from "./entry.ts";

/** Common properties of the keys in a {@link QueueSnapshot}. Times are milliseconds since the epoch. */
export interface SnapshotKey {
  readonly key: string;
  readonly priority: number;
  /** Number of the current or next attempt: 1 plus the number of consecutive failures. */
  readonly attempt: number;
  readonly reasons: readonly string[];
}

/** A key that waits to be handed out. */
export interface WaitingKey extends SnapshotKey {
  readonly readyAt: number;
  /** True if it was added while being processed, and waits for that to end. */
  readonly isHeld: boolean;
}

/** A key whose delay has not ended. */
export interface DelayedKey extends SnapshotKey {
  readonly dueAt: number;
}

/** A key that is being processed. */
export interface RunningKey extends SnapshotKey {
  readonly startedAt: number;
}

/** The contents of a queue at one moment, as plain data for a debug page. */
export interface QueueSnapshot {
  readonly name: string;
  readonly isClosed: boolean;
  /** Total numbers, including keys left out of the lists by the limit. */
  readonly counts: { readonly waiting: number; readonly delayed: number; readonly running: number };
  /** Highest priority first; held keys come last. */
  readonly waiting: readonly WaitingKey[];
  /** Earliest due first. */
  readonly delayed: readonly DelayedKey[];
  /** Longest in processing first. */
  readonly running: readonly RunningKey[];
}

/** Input of {@link takeSnapshot}. */
export interface SnapshotSource {
  readonly name: string;
  readonly isClosed: boolean;
  readonly ready: Iterable<Entry>;
  readonly readyCount: number;
  readonly delayed: readonly Entry[];
  readonly running: readonly Entry[];
  /** Converts monotonic time to wall-clock time. */
  readonly timeOf: (monotonic: number) => number;
  /** Maximum length of each list. */
  readonly limit: number;
}

/** Returns the contents of a queue. */
export function takeSnapshot({
  name,
  isClosed,
  ready,
  readyCount,
  delayed,
  running,
  timeOf,
  limit,
}: SnapshotSource): QueueSnapshot {
  const held = running.filter(({ pending }) => pending === "held");
  return {
    name,
    isClosed,
    counts: { waiting: readyCount + held.length, delayed: delayed.length, running: running.length },
    waiting: [...first(ready, limit), ...held].slice(0, limit).map((entry) => ({
      ...pendingKey(entry),
      readyAt: timeOf(entry.dueAt),
      isHeld: entry.pending === "held",
    })),
    delayed: delayed
      .toSorted((a, b) => a.dueAt - b.dueAt || a.order - b.order)
      .slice(0, limit)
      .map((entry) => ({ ...pendingKey(entry), dueAt: timeOf(entry.dueAt) })),
    running: running
      .toSorted((a, b) => a.startedAt - b.startedAt)
      .slice(0, limit)
      .map(({ key, item, startedAt }) => ({
        key,
        priority: item?.priority ?? 0,
        attempt: item?.attempt ?? 1,
        reasons: item?.reasons ?? [],
        startedAt: timeOf(startedAt),
      })),
  };
}

function pendingKey({ key, level, failure, reasons }: Entry): SnapshotKey {
  return { key, priority: level.priority, attempt: (failure?.failures ?? 0) + 1, reasons };
}

function* first<T>(values: Iterable<T>, limit: number): Generator<T, void, undefined> {
  let left = limit;
  for (const value of values) {
    if (left <= 0) return;
    left -= 1;
    yield value;
  }
}
