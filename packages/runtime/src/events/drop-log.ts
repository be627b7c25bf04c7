import type { Event } from "@homeostat/kubernetes/events/v1";
import { objectKey } from "./series.ts";

/**
 * The reason why an event was dropped.
 *
 * - `rate-limited`: the limit on writes about its object was reached.
 * - `queue-full`: too many events wait to be sent.
 * - `failed`: the server rejected it, or could not be reached for too long.
 * - `stopped`: the recorder stopped before it could be sent.
 */
export type EventDrop = "rate-limited" | "queue-full" | "failed" | "stopped";

/** Events, and updated counts of events, that were dropped since the last report. */
export interface DroppedEvents {
  readonly count: number;
  /** The number of drops by cause. */
  readonly causes: Readonly<Partial<Record<EventDrop, number>>>;
  /** The number of objects that the events were about; at most 1,000 are distinguished. */
  readonly objects: number;
  /** The last dropped event about the object with the most drops. */
  readonly event: Event;
  /** The last error of a request that failed. */
  readonly error: unknown;
}

interface ObjectDrops {
  count: number;
  event: Event;
}

const objectsMax = 1_000;

/** A summary of dropped events, so that a burst is reported once and not per event. */
export class DropLog {
  #count = 0;
  #causes: Partial<Record<EventDrop, number>> = {};
  #error: unknown;
  readonly #objects = new Map<string, ObjectDrops>();

  add(event: Event, cause: EventDrop, error?: unknown): void {
    this.#count += 1;
    this.#causes[cause] = (this.#causes[cause] ?? 0) + 1;
    this.#error = error ?? this.#error;
    const key = objectKey(event.regarding ?? {});
    const known = this.#objects.get(key);
    if (known !== undefined) {
      known.count += 1;
      known.event = event;
    } else if (this.#objects.size < objectsMax) this.#objects.set(key, { count: 1, event });
  }

  /** Returns the drops since the last call; undefined if there were none. */
  take(): DroppedEvents | undefined {
    let most: ObjectDrops | undefined;
    for (const drops of this.#objects.values()) if (drops.count > (most?.count ?? 0)) most = drops;
    if (most === undefined) return undefined;
    const report = {
      count: this.#count,
      causes: this.#causes,
      objects: this.#objects.size,
      event: most.event,
      error: this.#error,
    };
    this.#count = 0;
    this.#causes = {};
    this.#error = undefined;
    this.#objects.clear();
    return report;
  }
}
