import type { Entry } from "./entry.ts";

/** One write: the entry before it and the entry after it. */
export interface Change<T> {
  readonly revision: number;
  readonly key: string;
  /** Entry before the write; undefined if the write created the key. */
  readonly before: Entry<T> | undefined;
  /** Entry after the write; undefined if the write deleted the key. */
  readonly after: Entry<T> | undefined;
  /** Time of the write on the store's own clock, in milliseconds. */
  readonly atMs: number;
}

/** Limits of the history. The oldest changes are compacted as soon as one of the limits is exceeded. */
export interface HistoryLimits {
  /** Number of changes. Default 50,000. */
  readonly countMax?: number;
  /** Age of a change in milliseconds. Default five minutes, the interval at which kube-apiserver compacts etcd. */
  readonly ageMsMax?: number;
  /** Total size in bytes of replaced and deleted values that only the history still holds. Default 32 MiB. */
  readonly bytesMax?: number;
}

/** Immutable state of a history, from which another history can start. */
export interface HistoryState<T> {
  readonly compacted: number;
  /** Revision of the first change in the chunks. */
  readonly first: number;
  readonly chunks: readonly (readonly Change<T>[])[];
  readonly bytes: number;
}

/** Number of changes per chunk, as a power of two. */
const chunkBits = 9;
const chunkSize = 1 << chunkBits;

/** Returns an empty history that starts after a revision. */
export function emptyHistory<T>(revision: number): HistoryState<T> {
  return { compacted: revision, first: revision + 1, chunks: [], bytes: 0 };
}

/**
 * The most recent changes, one for each revision after the compacted one.
 *
 * Watches and lists at an earlier revision read from it. Compaction removes the oldest changes; a watch from a
 * compacted revision gets 410 Gone, as with etcd.
 *
 * Revisions have no gaps, so the position of a change follows from its revision and no search is needed. Full chunks
 * are immutable and shared between histories that started from the same state, which makes a fork of a store cheap.
 */
export class History<T> {
  readonly #limits: Required<HistoryLimits>;
  /** All chunks but the last are full and may be shared. The last one belongs to this history. */
  readonly #chunks: (readonly Change<T>[])[];
  #last: Change<T>[] = [];
  #first: number;
  #compacted: number;
  #newest: number;
  #bytes: number;

  constructor(
    { countMax = 50_000, ageMsMax = 300_000, bytesMax = 32 * 1024 * 1024 }: HistoryLimits,
    { compacted, first, chunks, bytes }: HistoryState<T>,
  ) {
    this.#limits = { countMax, ageMsMax, bytesMax };
    this.#chunks = chunks.slice();
    this.#first = first;
    this.#compacted = compacted;
    this.#bytes = bytes;
    const last = this.#chunks.pop();
    this.#last = last?.slice() ?? [];
    this.#chunks.push(this.#last);
    this.#newest = first + (this.#chunks.length - 1) * chunkSize + this.#last.length - 1;
  }

  /** Oldest revision whose state can be reconstructed: every change after it is kept. */
  get compacted(): number {
    return this.#compacted;
  }

  /**
   * Returns the current state. Copies references to chunks, not the changes in them, except those of the last chunk.
   */
  state(): HistoryState<T> {
    return {
      compacted: this.#compacted,
      first: this.#first,
      chunks: [...this.#chunks.slice(0, -1), this.#last.slice()],
      bytes: this.#bytes,
    };
  }

  /** Returns the change with a revision; undefined if it is compacted or does not exist yet. */
  at(revision: number): Change<T> | undefined {
    if (revision <= this.#compacted) return undefined;
    const index = revision - this.#first;
    return this.#chunks[index >>> chunkBits]?.[index & (chunkSize - 1)];
  }

  add(change: Change<T>): void {
    if (this.#last.length === chunkSize) {
      this.#last = [];
      this.#chunks.push(this.#last);
    }
    this.#last.push(change);
    this.#newest = change.revision;
    this.#bytes += supersededBytes(change);
  }

  /** Removes the changes after a revision because they could not be saved. */
  removeAfter(revision: number): void {
    while (this.#newest > revision) {
      if (this.#last.length === 0 && this.#chunks.length > 1) {
        this.#chunks.pop();
        // A full chunk may be shared with other histories, so shorten a copy.
        this.#last = this.#chunks.pop()?.slice() ?? [];
        this.#chunks.push(this.#last);
      }
      const removed = this.#last.pop();
      if (removed === undefined) return;
      this.#bytes -= supersededBytes(removed);
      this.#newest = removed.revision - 1;
    }
  }

  /** Compacts the changes beyond the limits, but none after `keepAfter`: watchers have not been shown those yet. */
  trim(nowMs: number, keepAfter: number = Infinity): void {
    const { countMax, ageMsMax, bytesMax } = this.#limits;
    for (;;) {
      const oldest = this.at(this.#compacted + 1);
      if (oldest === undefined || oldest.revision > keepAfter) return;
      const isWithinCount = this.#newest - this.#compacted <= countMax;
      if (isWithinCount && this.#bytes <= bytesMax && nowMs - oldest.atMs <= ageMsMax) return;
      this.#compactOldest(oldest);
    }
  }

  /** Compacts every change up to and including a revision. */
  compact(revision: number): void {
    for (;;) {
      const oldest = this.at(this.#compacted + 1);
      if (oldest === undefined || oldest.revision > revision) return;
      this.#compactOldest(oldest);
    }
  }

  #compactOldest(oldest: Change<T>): void {
    this.#compacted = oldest.revision;
    this.#bytes -= supersededBytes(oldest);
    // A chunk is dropped when all of its changes are compacted. The last one is kept because changes are appended to
    // it.
    if (this.#compacted - this.#first < chunkSize - 1 || this.#chunks.length === 1) return;
    this.#chunks.shift();
    this.#first += chunkSize;
  }
}

/** Returns the bytes that only the history keeps in memory: the value that the change replaced or deleted. */
function supersededBytes<T>({ before }: Change<T>): number {
  return before?.size ?? 0;
}
