import type { Event } from "@homeostat/kubernetes/events/v1";
import type { ObjectReference } from "@homeostat/kubernetes/core/v1";
import { LruMap } from "./lru-map.ts";

/** An event, and how often it happened. */
export interface Series {
  readonly key: string;
  /** The object that is written about, for its budget. */
  readonly object: string;
  /** As it was the first time. */
  readonly event: Event;
  count: number;
  /** How often the server knows that it happened. */
  countSent: number;
  /** When it happened last: a MicroTime. */
  lastTime: string;
  /** The same, by the monotonic clock. */
  lastAt: number;
  isCreated: boolean;
}

/** Counts have 32 bits. */
export const countMax: number = 2 ** 31 - 1;

/** Whether it happened more often than the server knows. */
export function isBehind({ count, countSent }: Series): boolean {
  return count > countSent;
}

/** The event as it should be at the server now. */
export function eventOf({ event, count, lastTime }: Series): Event {
  return count < 2 ? event : { ...event, series: { count, lastObservedTime: lastTime } };
}

/** What an object is known by, over all its versions. */
export function objectKey({
  apiVersion = "",
  kind = "",
  namespace = "",
  name = "",
  uid = "",
}: ObjectReference): string {
  return JSON.stringify([apiVersion, kind, namespace, name, uid]);
}

/** What events have in common that differ in their note alone. */
export function kindOfEvent({ type, reason, action, regarding = {}, related }: Event): string {
  return JSON.stringify([type, reason, action, objectKey(regarding), related === undefined ? "" : objectKey(related)]);
}

/** How notes that differ are put together. */
export interface NoteOptions {
  /** So many different notes are events of their own. */
  readonly notesMax: number;
  /** After so long without an event of the kind it begins anew. */
  readonly windowMs: number;
  /** How many kinds of events are remembered. */
  readonly kindsMax: number;
}

/**
 * Keeps apart events that differ in their note, as long as these are few.
 *
 * A note with a number in it that is never the same would make an event each time. From the eleventh on they count as
 * one.
 */
export class Notes {
  readonly #options: NoteOptions;
  readonly #kinds: LruMap<string, { notes: Set<string>; lastAt: number }>;

  constructor(options: NoteOptions) {
    this.#options = options;
    this.#kinds = new LruMap(options.kindsMax);
  }

  /** Whether an event counts by itself, or together with others that have other notes. */
  isApart(kind: string, note: string, monotonic: number): boolean {
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
