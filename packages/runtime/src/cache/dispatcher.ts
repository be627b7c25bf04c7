import { Change, type ObjectEvent } from "./event.ts";
import type { ObjectStore } from "./object-store.ts";
import type { Pacer } from "./pacer.ts";

/** Called for every event, in order. It must not wait: what takes longer belongs in a queue. */
export type EventHandler<T> = (event: ObjectEvent<T>) => void;

/** The same, for those who know what an event is made of. */
type ChangeHandler<T> = (change: Change<T>) => void;

/** Somebody who follows the changes of a store. */
interface Subscriber<T> {
  readonly handle: ChangeHandler<T>;
  /** Of slots below this one the subscriber knows; what happens to the others it will be told when their turn comes. */
  cursor: number;
  isGone: boolean;
}

/**
 * Brings changes to subscribers: to each in the order in which they happened, and to each that comes late everything that
 * is there, as additions, first.
 */
export class Dispatcher<T> {
  readonly #store: ObjectStore<T>;
  readonly #onError: (error: unknown) => void;
  readonly #subscribers = new Set<Subscriber<T>>();
  readonly #waiting: Change<T>[] = [];
  #current: Change<T> | undefined;

  constructor(store: ObjectStore<T>, onError: (error: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
  }

  /** Whether nobody listens, so that changes need not be described. */
  get isIdle(): boolean {
    return this.#subscribers.size === 0;
  }

  /** Whether a handler is being called now: the bytes of an event may be needed still. */
  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  /** Adds a subscriber. What is there already it is told by {@link Dispatcher.replay}, which the caller runs. */
  add(handle: ChangeHandler<T>): Subscriber<T> {
    const subscriber = { handle, cursor: this.#store.size === 0 ? Infinity : 0, isGone: false };
    this.#subscribers.add(subscriber);
    return subscriber;
  }

  remove(subscriber: Subscriber<T>): void {
    subscriber.isGone = true;
    this.#subscribers.delete(subscriber);
  }

  /** Tells a new subscriber what is there, slot by slot, with breaks. Changes of what it was told come in between. */
  async replay(subscriber: Subscriber<T>, pacer: Pacer): Promise<void> {
    pacer.begin();
    while (subscriber.cursor < this.#store.slotsEnd && !subscriber.isGone) {
      const slot = subscriber.cursor;
      subscriber.cursor += 1;
      if (this.#store.has(slot)) {
        this.#bring(new Change(this.#store, { type: "add", key: this.#store.keyOf(slot), slot }), [subscriber]);
      }
      if (pacer.isDue) await pacer.rest();
    }
    subscriber.cursor = Infinity;
  }

  /**
   * Makes sure that what is being handled can still be read after the store has changed.
   *
   * To be called before a change that may come from within a handler: a write of our own.
   */
  beforeChange(): void {
    this.#current?.keep();
  }

  /** Brings a change to everybody. From within a handler, the change waits until everybody has been told of the one before. */
  emit(change: Change<T>): void {
    if (this.#current === undefined) this.#bring(change, this.#subscribers);
    else this.#waiting.push(change.keep());
  }

  #bring(change: Change<T>, subscribers: Iterable<Subscriber<T>>): void {
    this.#tell(change, subscribers);
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#tell(next, this.#subscribers);
    }
  }

  #tell(change: Change<T>, subscribers: Iterable<Subscriber<T>>): void {
    this.#current = change;
    for (const subscriber of subscribers) {
      // A new one is passed the slot by `replay`, which has moved its cursor on before it comes here.
      if (change.slot >= subscriber.cursor || subscriber.isGone) continue;
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
