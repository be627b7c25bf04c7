import { type Audience, knownInBoth } from "./audience.ts";
import { Change, type ObjectEvent, type ObjectState } from "./event.ts";
import type { ObjectStore } from "./object-store.ts";

/** Changes of one object that the consumer has not received yet, merged into one. */
interface PendingChange<T> {
  /** The object as the consumer last received it; undefined if it has not received it. */
  readonly old: ObjectState<T> | undefined;
  wasDeleted: boolean;
  slot: number;
  audience: Audience | undefined;
}

/**
 * A buffer of events for a slow consumer.
 *
 * Changes of one object that happen while the consumer is busy are merged into one event, or two if the object was
 * deleted and recreated. So the buffer never holds more entries than there are objects, and needs no other limit. For
 * each object the consumer sees no state twice and none older than the one before.
 */
export class EventStream<T> {
  readonly #store: ObjectStore<T>;
  readonly #pending = new Map<string, PendingChange<T>>();
  #notifyReader: (() => void) | undefined;
  #isEnded = false;

  constructor(store: ObjectStore<T>) {
    this.#store = store;
  }

  /**
   * Adds a change. Copies only the bytes of the previous state, since the store may overwrite them; the new state is
   * read from the store when the consumer asks for it.
   */
  push(change: Change<T>): void {
    const { key, type, slot, audience } = change;
    const before = this.#pending.get(key);
    if (before === undefined) {
      const old = type === "add" ? undefined : change.keptOld();
      this.#pending.set(key, { old, wasDeleted: type === "delete", slot: type === "delete" ? -1 : slot, audience });
    } else {
      before.wasDeleted ||= type === "delete";
      before.slot = type === "delete" ? -1 : slot;
      before.audience = knownInBoth(before.audience, audience);
      // Created and deleted before the consumer received it.
      if (before.slot < 0 && before.old === undefined) this.#pending.delete(key);
    }
    this.#notifyReader?.();
  }

  /** Ends the stream and drops the pending events. */
  end(): void {
    this.#isEnded = true;
    this.#pending.clear();
    this.#notifyReader?.();
  }

  /** Yields the events until the stream ends. */
  async *read(): AsyncGenerator<ObjectEvent<T>> {
    while (!this.#isEnded) {
      for (const [key, pending] of this.#pending) {
        this.#pending.delete(key);
        yield* this.#eventsOf(key, pending);
      }
      if (!this.#isEnded) await this.#nextChange();
    }
  }

  *#eventsOf(key: string, { old, wasDeleted, slot, audience }: PendingChange<T>): Generator<ObjectEvent<T>> {
    const isKnown = old !== undefined;
    const events: Change<T>[] = [];
    if (isKnown && wasDeleted) events.push(new Change(this.#store, { type: "delete", key, slot: -1, old, audience }));
    if (slot >= 0) {
      const type = isKnown && !wasDeleted ? "update" : "add";
      events.push(new Change(this.#store, { type, key, slot, old: type === "add" ? undefined : old, audience }));
    }
    // Keep all of them before the first is yielded: the store may change while the consumer handles it.
    for (const event of events) event.keep();
    yield* events;
  }

  async #nextChange(): Promise<void> {
    if (this.#pending.size > 0) return;
    await new Promise<void>((resolve) => {
      this.#notifyReader = resolve;
    });
    this.#notifyReader = undefined;
  }
}
