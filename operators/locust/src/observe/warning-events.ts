import { abortable, type Clock, ForbiddenError } from "@homeostat/core";
import type { Event } from "@homeostat/kubernetes/core/v1";
import type { Logger } from "@homeostat/runtime";

/** Time during which a list of events is used for all tests of its namespace. */
const sharedMs = 10_000;

/** The events to read: Warnings about objects of one kind, with one reason. */
export interface WarningQuery {
  readonly namespace: string;
  readonly kind: string;
  readonly reason: string;
}

/** Parts of the reconcile that needs the events. */
export interface WarningReader {
  /** Lists events of the namespace. */
  readonly list: (fieldSelector: string) => AsyncIterable<Event>;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

type EventsByUid = ReadonlyMap<string, readonly Event[]>;

interface SharedList {
  readonly untilMs: number;
  /** Undefined when the request failed. */
  readonly events: Promise<EventsByUid | undefined>;
}

/**
 * Reads Warning events, and shares each list among the tests of a namespace for ten seconds.
 *
 * An API server reads all events of a namespace to answer a list with a field selector. When pods of thousands of tests are slow to start,
 * a list for each test takes time in the square of their number: with 5,000 tests it was most of the API server's work.
 */
export class WarningEvents {
  readonly #clock: Clock;
  readonly #lists = new Map<string, SharedList>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the events about objects with the given UIDs; none where the operator may not list events. */
  async about(uids: readonly string[], query: WarningQuery, reader: WarningReader): Promise<readonly Event[]> {
    const byUid = await this.#list(query, reader);
    return uids.flatMap((uid) => byUid.get(uid) ?? []);
  }

  async #list(query: WarningQuery, reader: WarningReader): Promise<EventsByUid> {
    const key = `${query.namespace}/${query.kind}/${query.reason}`;
    const known = this.#lists.get(key);
    if (known !== undefined && known.untilMs > this.#clock.monotonic()) {
      const events = await abortable(known.events, reader.signal);
      // The request belonged to another reconcile, which may have been aborted.
      if (events !== undefined) return events;
    }
    const reading = readEvents(query, reader);
    const events = reading.catch(() => undefined);
    this.#removeExpired();
    const list: SharedList = { untilMs: this.#clock.monotonic() + sharedMs, events };
    this.#lists.set(key, list);
    try {
      return await reading;
    } catch (error) {
      if (this.#lists.get(key) === list) this.#lists.delete(key);
      throw error;
    }
  }

  #removeExpired(): void {
    const now = this.#clock.monotonic();
    for (const [key, { untilMs }] of this.#lists) if (untilMs <= now) this.#lists.delete(key);
  }
}

async function readEvents(query: WarningQuery, { list, log }: WarningReader): Promise<EventsByUid> {
  const { kind, reason } = query;
  const fieldSelector = `involvedObject.kind=${kind},type=Warning,reason=${reason}`;
  const byUid = new Map<string, Event[]>();
  try {
    for await (const event of list(fieldSelector)) {
      const uid = event.involvedObject.uid ?? "";
      const events = byUid.get(uid);
      if (events === undefined) byUid.set(uid, [event]);
      else events.push(event);
    }
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error;
    log.debug("Cannot list events, treating hanging pods as slow", { error });
  }
  return byUid;
}
