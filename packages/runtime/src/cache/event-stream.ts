import { type Audience, both } from "./audience.ts";
import { Change, type ObjectEvent, type Side } from "./event.ts";
import type { ObjectStore } from "./object-store.ts";

/** What has happened to one object since the reader was last told of it. */
interface Waiting<T> {
  /** The object as the reader knows it; undefined when it does not. */
  readonly old: Side<T> | undefined;
  wasDeleted: boolean;
  slot: number;
  audience: Audience | undefined;
}

/**
 * Events for a reader that takes its time.
 *
 * What happens to an object while the reader is busy is one event in the end (two when it was made anew), so that there
 * never wait more than there are objects. Of each object the reader sees nothing twice and nothing go back.
 */
export class EventStream<T> {
  readonly #store: ObjectStore<T>;
  readonly #waiting = new Map<string, Waiting<T>>();
  #wake: (() => void) | undefined;
  #isEnded = false;

  constructor(store: ObjectStore<T>) {
    this.#store = store;
  }

  /** Takes a change. Of its bytes it keeps only those that are about to go. */
  push(change: Change<T>): void {
    const { key, type, slot, audience } = change;
    const before = this.#waiting.get(key);
    if (before === undefined) {
      const old = type === "add" ? undefined : change.keptOld();
      this.#waiting.set(key, { old, wasDeleted: type === "delete", slot: type === "delete" ? -1 : slot, audience });
    } else {
      before.wasDeleted ||= type === "delete";
      before.slot = type === "delete" ? -1 : slot;
      before.audience = both(before.audience, audience);
      // It came and went without being seen.
      if (before.slot < 0 && before.old === undefined) this.#waiting.delete(key);
    }
    this.#wake?.();
  }

  /** No more events will come, and those that wait are forgotten. */
  end(): void {
    this.#isEnded = true;
    this.#waiting.clear();
    this.#wake?.();
  }

  /** The events, until the stream ends. */
  async *read(): AsyncGenerator<ObjectEvent<T>> {
    while (!this.#isEnded) {
      for (const [key, waiting] of this.#waiting) {
        this.#waiting.delete(key);
        yield* this.#eventsOf(key, waiting);
      }
      if (!this.#isEnded) await this.#news();
    }
  }

  *#eventsOf(key: string, { old, wasDeleted, slot, audience }: Waiting<T>): Generator<ObjectEvent<T>> {
    const isKnown = old !== undefined;
    const events: Change<T>[] = [];
    if (isKnown && wasDeleted) events.push(new Change(this.#store, { type: "delete", key, slot: -1, old, audience }));
    if (slot >= 0) {
      const type = isKnown && !wasDeleted ? "update" : "add";
      events.push(new Change(this.#store, { type, key, slot, old: type === "add" ? undefined : old, audience }));
    }
    // All of them before the first is given out: the store may change while the reader has it.
    for (const event of events) event.keep();
    yield* events;
  }

  async #news(): Promise<void> {
    if (this.#waiting.size > 0) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }
}
