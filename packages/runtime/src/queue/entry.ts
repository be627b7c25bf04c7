import type { FailureState } from "./failure.ts";
import type { Level } from "./level.ts";
import type { QueueItem } from "./queue-item.ts";
import { noReasons, shorten, withReason } from "./reasons.ts";

/** Pending state of a key: whether and when it will be handed out (again). */
export type PendingState =
  /** Not pending. */
  | "none"
  /** Due later, at `dueAt`. Next: `ready`, or `held` if the key is being processed at that time. */
  | "delayed"
  /** Due, but the key is being processed. Next: `ready`, when the processing ends. */
  | "held"
  /** In the ready list. Next: `none`, when the key is handed out. */
  | "ready";

/**
 * The state of one key: its current processing, its pending state, and its consecutive failures.
 *
 * Times are monotonic milliseconds. The links of all lists are fields of this one object, because after the first list
 * of a large cluster there is one for each of a hundred thousand keys.
 */
export class Entry {
  key: string;

  /** The item that was handed out; undefined if the key is not being processed. */
  item: QueueItem | undefined = undefined;
  startedAt = 0;
  /** Index in the queue's list of entries being processed. */
  slot = -1;

  failure: FailureState | undefined = undefined;

  /** Pending state. */
  pending: PendingState = "none";
  /** The level of its priority. */
  level: Level;
  /** Number of adds merged into the pending one, and their distinct reasons. */
  adds = 0;
  reasons: readonly string[] = noReasons;
  reasonsOmitted = 0;
  /** Time at which the key is or was due. For a key that is ready or held: since when it has been waiting. */
  dueAt = 0;
  /** Sequence number that orders keys due at the same time. */
  order = 0;
  /** Index in the delay heap; -1 if not in it. Managed by the heap. */
  position = -1;
  /** Neighbours by age and within the level. Managed by the ready list. */
  older: Entry | undefined = undefined;
  younger: Entry | undefined = undefined;
  previous: Entry | undefined = undefined;
  next: Entry | undefined = undefined;

  constructor(key: string, level: Level) {
    this.key = key;
    this.level = level;
  }

  /** Reuses the entry for another key. Its previous key must be neither pending nor being processed. */
  reuse(key: string, level: Level): this {
    this.key = key;
    this.level = level;
    this.failure = undefined;
    return this;
  }

  /** Merges one more add into the pending state. */
  countAdd(reason: string | undefined): void {
    this.adds += 1;
    if (reason === undefined) return;
    const short = shorten(reason);
    if (this.reasons.includes(short)) return;
    const more = withReason(this.reasons, short);
    if (more === undefined) this.reasonsOmitted += 1;
    else this.reasons = more;
  }

  /** Starts the processing: returns the item to hand out and clears the pending state. */
  startProcessing(now: number): QueueItem {
    const item: QueueItem = {
      key: this.key,
      priority: this.level.priority,
      attempt: (this.failure?.failures ?? 0) + 1,
      adds: this.adds,
      reasons: this.reasons,
      reasonsOmitted: this.reasonsOmitted,
      waitedMs: now - this.dueAt,
    };
    this.item = item;
    this.startedAt = now;
    this.clearPending();
    return item;
  }

  /** Clears the pending state. */
  clearPending(): void {
    this.pending = "none";
    this.adds = 0;
    this.reasons = noReasons;
    this.reasonsOmitted = 0;
  }
}
