import type { FailureState } from "./failure.ts";
import type { Level } from "./level.ts";
import type { QueueItem } from "./queue-item.ts";
import { noReasons, shorten, withReason } from "./reasons.ts";

/** Where the next run of a key stands. */
export type WaitState =
  /** Nobody asked for one. */
  | "none"
  /** It is to begin later, at `dueAt`. Next: `ready`, or `held` when the key is being worked on at that moment. */
  | "delayed"
  /** It could begin now, but the key is being worked on. Next: `ready`, once that is done. */
  | "held"
  /** It is among those to be handed out. Next: `none`, and the key is being worked on. */
  | "ready";

/**
 * All that the queue knows of one key: the run that is going on, if one is; the next run, if one is wanted; and how often
 * it has failed in a row.
 *
 * Times are monotonic milliseconds. It is one object, with its places in lists inside, because there is one for every key
 * of a first list of a hundred thousand.
 */
export class Entry {
  key: string;

  /** The run that is going on: what was handed out for it. */
  item: QueueItem | undefined = undefined;
  startedAt = 0;
  /** Where it stands among those being worked on. */
  slot = -1;

  failure: FailureState | undefined = undefined;

  /** The next run. */
  wait: WaitState = "none";
  /** Its priority, with the others that have it. */
  level: Level;
  /** How many adds became one, and why they came. */
  adds = 0;
  reasons: readonly string[] = noReasons;
  reasonsOmitted = 0;
  /** When it is due; once it is, since when it could begin if nothing else were in the way. */
  dueAt = 0;
  /** Which of two that are due together was there first. */
  order = 0;
  /** Where it stands in the heap of delays; -1 when it is not in it. Belongs to the heap. */
  position = -1;
  /** Its neighbours by age and within its level. Belong to the list of those ready. */
  older: Entry | undefined = undefined;
  younger: Entry | undefined = undefined;
  previous: Entry | undefined = undefined;
  next: Entry | undefined = undefined;

  constructor(key: string, level: Level) {
    this.key = key;
    this.level = level;
  }

  /** Makes it the entry of another key, of which nothing is known yet. Its own key must be done with. */
  reuse(key: string, level: Level): this {
    this.key = key;
    this.level = level;
    this.failure = undefined;
    return this;
  }

  /** Makes one more add part of the next run. */
  countAdd(reason: string | undefined): void {
    this.adds += 1;
    if (reason === undefined) return;
    const short = shorten(reason);
    if (this.reasons.includes(short)) return;
    const more = withReason(this.reasons, short);
    if (more === undefined) this.reasonsOmitted += 1;
    else this.reasons = more;
  }

  /** What is handed out for the next run, which with this is no longer the next one. */
  begin(now: number): QueueItem {
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
    this.drop();
    return item;
  }

  /** Forgets what was asked for: there is no next run. */
  drop(): void {
    this.wait = "none";
    this.adds = 0;
    this.reasons = noReasons;
    this.reasonsOmitted = 0;
  }
}
