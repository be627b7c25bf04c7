import type { Entry } from "./entry.ts";

/** One write: what was there before, and what is there since. */
export interface Change<T> {
  readonly revision: number;
  readonly key: string;
  /** `undefined` when the key was absent: the write created it. */
  readonly before: Entry<T> | undefined;
  /** `undefined` when the write deleted the key. */
  readonly after: Entry<T> | undefined;
  /** When it was, on the store's own time. */
  readonly atMs: number;
}

/** How much of the past is kept. Whichever bound is reached first, the oldest changes go. */
export interface HistoryLimits {
  /** So many changes. Default 50,000. */
  readonly countMax?: number;
  /** So long, in milliseconds. Default five minutes, after which an API server has etcd forget as well. */
  readonly ageMsMax?: number;
  /** So many bytes in values that are no longer current. Default 32 MiB. */
  readonly bytesMax?: number;
}

/** What a history holds, to begin another with. It does not change. */
export interface HistoryState<T> {
  readonly compacted: number;
  /** The revision of the very first change in the chunks. */
  readonly first: number;
  readonly chunks: readonly (readonly Change<T>[])[];
  readonly bytes: number;
}

/** Changes are kept so many together; two to the power of this. */
const chunkBits = 9;
const chunkSize = 1 << chunkBits;

/** A history without a past, that begins after a revision. */
export function emptyHistory<T>(revision: number): HistoryState<T> {
  return { compacted: revision, first: revision + 1, chunks: [], bytes: 0 };
}

/**
 * The last changes, one for each revision after the compacted one.
 *
 * Revisions follow each other without gaps, so a change is found by its revision at once. Chunks that are full never change, so
 * histories that began with the same state share them.
 */
export class History<T> {
  readonly #limits: Required<HistoryLimits>;
  /** All but the last are full and maybe shared. The last is our own. */
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

  /** The oldest revision whose state is still known; every change after it is. */
  get compacted(): number {
    return this.#compacted;
  }

  /** What is remembered, as it is now: at once, whatever its size. */
  state(): HistoryState<T> {
    return {
      compacted: this.#compacted,
      first: this.#first,
      chunks: [...this.#chunks.slice(0, -1), this.#last.slice()],
      bytes: this.#bytes,
    };
  }

  /** The change that made a revision; `undefined` when it is forgotten, or yet to come. */
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

  /** Removes the changes after a revision, which could not be saved. */
  removeAfter(revision: number): void {
    while (this.#newest > revision) {
      if (this.#last.length === 0 && this.#chunks.length > 1) {
        this.#chunks.pop();
        // A full chunk may be shared with other histories, so a copy of it is shortened.
        this.#last = this.#chunks.pop()?.slice() ?? [];
        this.#chunks.push(this.#last);
      }
      const removed = this.#last.pop();
      if (removed === undefined) return;
      this.#bytes -= supersededBytes(removed);
      this.#newest = removed.revision - 1;
    }
  }

  /** Forgets what is beyond the limits, but no change after `keepAfter`: watchers have not seen those yet. */
  trim(nowMs: number, keepAfter: number = Infinity): void {
    const { countMax, ageMsMax, bytesMax } = this.#limits;
    for (;;) {
      const oldest = this.at(this.#compacted + 1);
      if (oldest === undefined || oldest.revision > keepAfter) return;
      const isFew = this.#newest - this.#compacted <= countMax;
      if (isFew && this.#bytes <= bytesMax && nowMs - oldest.atMs <= ageMsMax) return;
      this.#forget(oldest);
    }
  }

  /** Forgets every change up to and including a revision. */
  compact(revision: number): void {
    for (;;) {
      const oldest = this.at(this.#compacted + 1);
      if (oldest === undefined || oldest.revision > revision) return;
      this.#forget(oldest);
    }
  }

  #forget(oldest: Change<T>): void {
    this.#compacted = oldest.revision;
    this.#bytes -= supersededBytes(oldest);
    // A chunk goes when all of it is forgotten; the last one stays, to be filled.
    if (this.#compacted - this.#first < chunkSize - 1 || this.#chunks.length === 1) return;
    this.#chunks.shift();
    this.#first += chunkSize;
  }
}

/** What a change keeps alive that would be free otherwise. */
function supersededBytes<T>({ before }: Change<T>): number {
  return before?.size ?? 0;
}
