import type { Event } from "@homeostat/kubernetes/events/v1";
import type { ObjectReference } from "@homeostat/kubernetes/core/v1";
import { LruMap } from "./lru-map.ts";

/** An event and the number of its occurrences. */
export interface Series {
  readonly key: string;
  /** Key of the object that the event is about, for its write limit. */
  readonly object: string;
  /** The event as first recorded. */
  readonly event: Event;
  count: number;
  /** The count that the server has. */
  countSent: number;
  /** Time of the last occurrence as a `MicroTime`. */
  lastTime: string;
  /** Monotonic time of the last occurrence. */
  lastAt: number;
  /** True once the event exists on the server. */
  isCreated: boolean;
}

/** Maximum count: the API field is a signed 32-bit integer. */
export const countMax: number = 2 ** 31 - 1;

/** Reports whether the server's count is outdated. */
export function isBehind({ count, countSent }: Series): boolean {
  return count > countSent;
}

/** Returns the event as it should be on the server now. */
export function eventOf({ event, count, lastTime }: Series): Event {
  return count < 2 ? event : { ...event, series: { count, lastObservedTime: lastTime } };
}

/** Returns the identity of an object, independent of its version. */
export function objectKey({
  apiVersion = "",
  kind = "",
  namespace = "",
  name = "",
  uid = "",
}: ObjectReference): string {
  return JSON.stringify([apiVersion, kind, namespace, name, uid]);
}

/** Returns the identity of an event without its note. */
export function kindOfEvent({ type, reason, action, regarding = {}, related }: Event): string {
  return JSON.stringify([type, reason, action, objectKey(regarding), related === undefined ? "" : objectKey(related)]);
}

/** Options of {@link DistinctNotes}. */
export interface NoteOptions {
  /** Number of distinct notes that get events of their own. */
  readonly notesMax: number;
  /** Time without an event of the kind after which counting starts again. */
  readonly windowMs: number;
  /** Number of kinds of events tracked. */
  readonly kindsMax: number;
}

/**
 * The distinct notes per kind of event, up to a limit.
 *
 * A note with an ever-changing number would create a new event each time. Beyond the limit such events are combined
 * into one.
 */
export class DistinctNotes {
  readonly #options: NoteOptions;
  readonly #kinds: LruMap<string, { notes: Set<string>; lastAt: number }>;

  constructor(options: NoteOptions) {
    this.#options = options;
    this.#kinds = new LruMap(options.kindsMax);
  }

  /** Reports whether an event gets a series of its own, or is combined with others that have other notes. */
  isDistinct(kind: string, note: string, monotonic: number): boolean {
    const { notesMax, windowMs } = this.#options;
    let known = this.#kinds.get(kind);
    if (known === undefined || monotonic - known.lastAt > windowMs) {
      known = { notes: new Set(), lastAt: monotonic };
      this.#kinds.set(kind, known);
    }
    known.lastAt = monotonic;
    if (known.notes.has(note)) return true;
    if (known.notes.size >= notesMax) return false;
    known.notes.add(note);
    return true;
  }
}
