import type { Entry } from "./entry.ts";

/** What is common to every key in a {@link QueueSnapshot}. Times are milliseconds since 1970. */
export interface SnapshotKey {
  readonly key: string;
  readonly priority: number;
  /** How many times it has been tried in a row, this or the coming time included. */
  readonly attempt: number;
  readonly reasons: readonly string[];
}

/** A key that waits to be handed out. */
export interface WaitingKey extends SnapshotKey {
  readonly readyAt: number;
  /** Whether it waits for the end of its own run. */
  readonly isHeld: boolean;
}

/** A key whose time has not come. */
export interface DelayedKey extends SnapshotKey {
  readonly dueAt: number;
}

/** A key that is being worked on. */
export interface RunningKey extends SnapshotKey {
  readonly startedAt: number;
}

/** What is in a queue at one moment, as plain data for a debug page. */
export interface QueueSnapshot {
  readonly name: string;
  readonly isClosed: boolean;
  /** How many there are of each, also of those that the lists have no room for. */
  readonly counts: { readonly waiting: number; readonly delayed: number; readonly running: number };
  /** Highest priority first; those that are held come last. */
  readonly waiting: readonly WaitingKey[];
  /** The next one due first. */
  readonly delayed: readonly DelayedKey[];
  /** The one that has been worked on longest first. */
  readonly running: readonly RunningKey[];
}

/** What a snapshot is made of. */
export interface SnapshotSource {
  readonly name: string;
  readonly isClosed: boolean;
  readonly ready: Iterable<Entry>;
  readonly readyCount: number;
  readonly delayed: readonly Entry[];
  readonly running: readonly Entry[];
  /** The time of day at a monotonic moment. */
  readonly timeOf: (monotonic: number) => number;
  /** How many keys each list may have. */
  readonly limit: number;
}

/** Writes down what is in a queue. */
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
  const held = running.filter(({ wait }) => wait === "held");
  return {
    name,
    isClosed,
    counts: { waiting: readyCount + held.length, delayed: delayed.length, running: running.length },
    waiting: [...first(ready, limit), ...held].slice(0, limit).map((entry) => ({
      ...nextRun(entry),
      readyAt: timeOf(entry.dueAt),
      isHeld: entry.wait === "held",
    })),
    delayed: delayed
      .toSorted((a, b) => a.dueAt - b.dueAt || a.order - b.order)
      .slice(0, limit)
      .map((entry) => ({ ...nextRun(entry), dueAt: timeOf(entry.dueAt) })),
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

function nextRun({ key, level, failure, reasons }: Entry): SnapshotKey {
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
