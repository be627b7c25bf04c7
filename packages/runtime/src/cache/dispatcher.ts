import { Change, type ObjectEvent } from "./event.ts";
import type { ObjectStore } from "./object-store.ts";
import type { EventLoopYielder } from "../performance/event-loop-yielder.ts";

/** Called for every event, in order. It must return quickly; longer work belongs in a queue. */
export type EventHandler<T> = (event: ObjectEvent<T>) => void;

/** Like {@link EventHandler}, with access to the internal form of the event. */
type ChangeHandler<T> = (change: Change<T>) => void;

/** A registered handler. */
interface Subscriber<T> {
  readonly handle: ChangeHandler<T>;
  /**
   * Replay position: the handler has received the objects in slots below it, and gets changes of only these. Changes
   * in slots at or above it are skipped, because `replay` will deliver their then current state.
   */
  cursor: number;
  isRemoved: boolean;
}

/**
 * A dispatcher of changes to subscribers, in the order in which they happened. A subscriber added later first receives
 * all existing objects as `add` events.
 */
export class Dispatcher<T> {
  readonly #store: ObjectStore<T>;
  readonly #onError: (error: unknown) => void;
  readonly #subscribers = new Set<Subscriber<T>>();
  readonly #queued: Change<T>[] = [];
  #current: Change<T> | undefined;

  constructor(store: ObjectStore<T>, onError: (error: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
  }

  /** True if there are no subscribers, so that events need not be created. */
  get isIdle(): boolean {
    return this.#subscribers.size === 0;
  }

  /** True while a handler is being called. The bytes of its event must not be moved or freed. */
  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  /** Adds a subscriber. The caller then runs {@link Dispatcher.replay} to deliver the existing objects. */
  add(handle: ChangeHandler<T>): Subscriber<T> {
    const subscriber = { handle, cursor: this.#store.size === 0 ? Infinity : 0, isRemoved: false };
    this.#subscribers.add(subscriber);
    return subscriber;
  }

  remove(subscriber: Subscriber<T>): void {
    subscriber.isRemoved = true;
    this.#subscribers.delete(subscriber);
  }

  /**
   * Delivers all existing objects to a new subscriber, slot by slot, yielding to the event loop where needed. Changes
   * of slots already delivered are dispatched in between.
   */
  async replay(subscriber: Subscriber<T>, yielder: EventLoopYielder): Promise<void> {
    yielder.begin();
    while (subscriber.cursor < this.#store.slotsEnd && !subscriber.isRemoved) {
      const slot = subscriber.cursor;
      subscriber.cursor += 1;
      if (this.#store.has(slot)) {
        this.#deliver(new Change(this.#store, { type: "add", key: this.#store.keyOf(slot), slot }), [subscriber]);
      }
      const pause = yielder.pause();
      if (pause !== undefined) await pause;
    }
    subscriber.cursor = Infinity;
  }

  /**
   * Keeps the event that is being handled readable while the store changes.
   *
   * Call it before a change that may be made from within a handler, that is, before applying the response to an own
   * write.
   */
  beforeChange(): void {
    this.#current?.keep();
  }

  /**
   * Dispatches a change to all subscribers. A change made from within a handler is queued until all subscribers have
   * received the current one; otherwise they would see changes in different orders.
   */
  emit(change: Change<T>): void {
    if (this.#current === undefined) this.#deliver(change, this.#subscribers);
    else this.#queued.push(change.keep());
  }

  #deliver(change: Change<T>, subscribers: Iterable<Subscriber<T>>): void {
    this.#notify(change, subscribers);
    for (let next = this.#queued.shift(); next !== undefined; next = this.#queued.shift()) {
      this.#notify(next, this.#subscribers);
    }
  }

  #notify(change: Change<T>, subscribers: Iterable<Subscriber<T>>): void {
    this.#current = change;
    for (const subscriber of subscribers) {
      // During replay, slots at or above the cursor are delivered later. `replay` moves the cursor past a slot before
      // delivering it.
      if (change.slot >= subscriber.cursor || subscriber.isRemoved) continue;
      try {
        subscriber.handle(change);
      } catch (error) {
        this.#onError(error);
      }
    }
    this.#current = undefined;
    change.expire();
  }
}

export type { Subscriber };
