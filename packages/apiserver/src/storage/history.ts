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
  /** So many bytes in values that are no longer current. Default 64 MiB. */
  readonly bytesMax?: number;
}

/**
 * The last changes, one for each revision after the compacted one.
 *
 * Revisions follow each other without gaps, so a change is found by its revision at once.
 */
export class History<T> {
  readonly #limits: Required<HistoryLimits>;
  #changes: Change<T>[];
  /** The changes before this index are forgotten already; they are cut off many at a time. */
  #start = 0;
  #compacted: number;
  #bytes: number;

  constructor(
    { countMax = 50_000, ageMsMax = 300_000, bytesMax = 64 * 1024 * 1024 }: HistoryLimits,
    { compacted, changes = [] }: { readonly compacted: number; readonly changes?: readonly Change<T>[] },
  ) {
    this.#limits = { countMax, ageMsMax, bytesMax };
    this.#compacted = compacted;
    this.#changes = changes.slice();
    this.#bytes = changes.reduce((sum, change) => sum + supersededBytes(change), 0);
  }

  /** The oldest revision whose state is still known; every change after it is. */
  get compacted(): number {
    return this.#compacted;
  }

  get size(): number {
    return this.#changes.length - this.#start;
  }

  /** Everything that is remembered, in order. */
  changes(): readonly Change<T>[] {
    return this.#changes.slice(this.#start);
  }

  /** The change that made a revision; `undefined` when it is forgotten, or yet to come. */
  at(revision: number): Change<T> | undefined {
    const index = revision - this.#compacted - 1;
    return index < 0 ? undefined : this.#changes[this.#start + index];
  }

  add(change: Change<T>): void {
    this.#changes.push(change);
    this.#bytes += supersededBytes(change);
  }

  /** Forgets what is beyond the limits. */
  trim(nowMs: number): void {
    const { countMax, ageMsMax, bytesMax } = this.#limits;
    for (;;) {
      const oldest = this.#changes[this.#start];
      if (oldest === undefined) return;
      const isKept = this.size <= countMax && this.#bytes <= bytesMax && nowMs - oldest.atMs <= ageMsMax;
      if (isKept) return;
      this.#forget(oldest);
    }
  }

  /** Forgets every change up to and including a revision. */
  compact(revision: number): void {
    for (;;) {
      const oldest = this.#changes[this.#start];
      if (oldest === undefined || oldest.revision > revision) return;
      this.#forget(oldest);
    }
  }

  #forget(oldest: Change<T>): void {
    this.#compacted = oldest.revision;
    this.#bytes -= supersededBytes(oldest);
    this.#start += 1;
    // Forgotten changes hold on to their values until they are cut off: a short history cuts often, a long one seldom.
    if (this.#start < 64 || this.#start * 4 < this.#changes.length) return;
    this.#changes = this.#changes.slice(this.#start);
    this.#start = 0;
  }
}

/** What a change keeps alive that would be free otherwise. */
function supersededBytes<T>({ before }: Change<T>): number {
  return before?.bytes.length ?? 0;
}
