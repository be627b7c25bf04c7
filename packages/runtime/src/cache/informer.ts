import {
  ArgumentError,
  type DeepReadonly,
  type Stored,
  type KubeObject,
  LabelSelector,
  type ObjectKey,
  parseKey,
  parseLabelSelector,
} from "@homeostat/core";
import type { EventHandler } from "./dispatcher.ts";
import { InformerClosedError } from "./errors.ts";
import type { ObjectEvent } from "./event.ts";
import { EventStream } from "./event-stream.ts";
import type { InformerHealth } from "./health.ts";
import type { IndexFunction } from "./indexes.ts";
import type { ReadListener } from "./read-listener.ts";
import type { SharedInformer } from "./shared-informer.ts";

/** A filter on the cached objects. */
export interface ListQuery {
  readonly namespace?: string;
  /** Label selector, parsed or as text: `"app=web"`. */
  readonly labels?: LabelSelector | string;
}

/** A registered event handler. Disposing of it removes the handler. */
export interface Subscription extends Disposable {
  /** Resolves when the handler has received an `add` for every object that was cached when it subscribed. */
  readonly replayed: Promise<void>;
}

/**
 * The part of a {@link SharedInformer} that {@link Informer} uses, independent of the type the objects have before
 * `transform`.
 */
type Shared<T> = Omit<SharedInformer<never, T>, "wrote" | "shape" | "reflector"> & {
  readonly reflector: { readonly health: InformerHealth };
};

/**
 * A handle on the cached objects of one selection.
 *
 * Objects that are read are frozen and shared. Reads never show less than this process has written, and never go back
 * to an older version of an object. Disposing of the last handle for a selection stops its watch and frees its memory.
 *
 * @example
 * using jobs = cache.informer(Job, { labels: "app=load" }).index("owner", (job) => controllerOf(job)?.uid);
 * await jobs.ready(signal);
 * jobs.by("owner", test.metadata.uid);
 */
export class Informer<T extends KubeObject, I extends string = never> implements Disposable {
  readonly #shared: Shared<T>;
  readonly #release: () => void;
  readonly #indexes = new Map<string, IndexFunction<T>>();
  readonly #subscriptions = new Set<Disposable>();
  #listener: ReadListener | undefined;
  #isClosed = false;

  /** Called by {@link Cache.informer} only. */
  constructor(shared: Shared<T>, release: () => void) {
    this.#shared = shared;
    this.#release = release;
  }

  // ── reading ──

  /**
   * Returns the object, frozen, or undefined if it does not exist. The key is `"namespace/name"`, `"name"`, or an
   * object with both.
   */
  get(key: string | ObjectKey): Stored<T> | undefined {
    const slot = this.#find(key);
    this.#listener?.gotObject(key, slot >= 0);
    return slot < 0 ? undefined : this.#shared.store.objectOf(slot);
  }

  /** Reports whether the object exists, without parsing it. */
  has(key: string | ObjectKey): boolean {
    const isFound = this.#find(key) >= 0;
    this.#listener?.gotObject(key, isFound);
    return isFound;
  }

  /**
   * Returns UID and resource version of an object as one text, without parsing the object. Two equal texts mean the same content. Undefined if the
   * object does not exist, or if its version is not a number.
   */
  versionOf(key: string | ObjectKey): string | undefined {
    const slot = this.#find(key);
    this.#listener?.gotObject(key, slot >= 0);
    if (slot < 0) return undefined;
    const { store } = this.#shared;
    const version = store.versionOf(slot);
    return version === undefined ? undefined : `${store.uidOf(slot)}/${version}`;
  }

  /** Returns the objects, frozen: all of them, or those that match the query. */
  list(query: ListQuery = {}): readonly Stored<T>[] {
    const { store } = this.#open();
    const { namespace, labels } = query;
    const selector = typeof labels === "string" ? parseLabelSelector(labels) : (labels ?? LabelSelector.everything);
    const found: Stored<T>[] = [];
    if (!selector.isNothing) {
      for (const slot of store.slots(namespace)) {
        const object = store.objectForScan(slot);
        if (selector.isEverything || selector.matches(labelsOf(object))) found.push(object);
      }
    }
    this.#listener?.listed(query, found.length);
    return found;
  }

  /** Yields the keys of all objects, or of those in one namespace, without parsing them. */
  *keys(namespace?: string): Generator<string> {
    const { store } = this.#open();
    for (const slot of store.slots(namespace)) yield store.keyOf(slot);
  }

  /** Number of cached objects. */
  get size(): number {
    return this.#open().store.size;
  }

  /** Bytes of the objects, and memory held for them outside the JavaScript heap. */
  get bytes(): { readonly objects: number; readonly held: number } {
    const { store } = this.#open();
    return { objects: store.liveBytes, held: store.heldBytes };
  }

  // ── indexes ──

  /**
   * Adds an index: a name, and a function that returns the values an object is found under. Returns the same informer,
   * with the name added to its type.
   *
   * The index is updated with every change. Objects have to be parsed for it as they arrive, unless the function has
   * `ofOwners`.
   */
  index<const N extends string>(name: N, values: IndexFunction<T>): Informer<T, I | N> {
    const { indexes } = this.#open();
    const before = this.#indexes.get(name);
    if (before !== undefined) {
      if (before === values) return this;
      throw new ArgumentError({
        argument: "name",
        problem: `is ${name}, which this informer already has with another function; choose another name.`,
      });
    }
    indexes.add(values);
    this.#indexes.set(name, values);
    return this;
  }

  /** Returns the objects that the index holds under a value. */
  by(index: I, value: string): readonly Stored<T>[] {
    const { indexes, store } = this.#open();
    const slots = indexes.slots(this.#indexNamed(index), value);
    this.#listener?.foundByIndex(index, value, slots.length);
    return slots.map((slot) => store.objectOf(slot));
  }

  /** Returns the number of objects that the index holds under a value, without parsing them. */
  countBy(index: I, value: string): number {
    const { indexes } = this.#open();
    const count = indexes.count(this.#indexNamed(index), value);
    this.#listener?.foundByIndex(index, value, count);
    return count;
  }

  /** Returns all values under which the index holds at least one object. */
  valuesOf(index: I): readonly string[] {
    return this.#open().indexes.valuesOf(this.#indexNamed(index));
  }

  /**
   * Calls the listener after each read of objects through this handle.
   *
   * @internal
   */
  reportReads(listener: ReadListener): void {
    this.#listener = listener;
  }

  // ── following ──

  /**
   * Calls the handler for every change, in order, after an `add` for every object that is already cached.
   *
   * The first call happens after this method has returned. An error thrown by the handler is reported to the cache's
   * observer and does not affect other handlers. There is no periodic resync: the cache relists only when the watch
   * cannot be continued, and objects that a relist finds unchanged cause no events.
   */
  subscribe(handler: EventHandler<T>): Subscription {
    const { dispatcher } = this.#open();
    const shared = this.#shared;
    const subscriber = dispatcher.add(handler);
    const replayed = Promise.resolve().then(() => dispatcher.replay(subscriber, shared.newYielder()));
    const subscription: Subscription = {
      replayed,
      [Symbol.dispose]: () => {
        dispatcher.remove(subscriber);
        this.#subscriptions.delete(subscription);
      },
    };
    this.#subscriptions.add(subscription);
    return subscription;
  }

  /**
   * Yields the same events as {@link Informer.subscribe} for a slow consumer: changes of one object that happen while
   * the consumer is busy are merged, so that at most one pending entry per object is held.
   *
   * Ends when the signal aborts or the informer is disposed of.
   */
  async *events(signal?: AbortSignal): AsyncGenerator<ObjectEvent<T>> {
    const { dispatcher, store, stopped } = this.#open();
    const stream = new EventStream<T>(store);
    const subscriber = dispatcher.add((change) => stream.push(change));
    const end = (): void => stream.end();
    const subscription: Disposable = { [Symbol.dispose]: end };
    this.#subscriptions.add(subscription);
    signal?.addEventListener("abort", end, { once: true });
    stopped.addEventListener("abort", end, { once: true });
    if (signal?.aborted === true || stopped.aborted) end();
    const replay = dispatcher.replay(subscriber, this.#shared.newYielder());
    try {
      yield* stream.read();
    } finally {
      dispatcher.remove(subscriber);
      this.#subscriptions.delete(subscription);
      signal?.removeEventListener("abort", end);
      stopped.removeEventListener("abort", end);
      await replay;
    }
  }

  // ── health ──

  /** True once the first list was accepted. From then on the cache may lag behind the server, but is never partial. */
  get isSynced(): boolean {
    return this.#shared.reflector.health.isSynced;
  }

  /** A snapshot of the informer's state and counters. */
  get health(): InformerHealth {
    return { ...this.#shared.reflector.health };
  }

  /** Resolves when the first list was accepted. Rejects when the signal aborts or the informer is disposed of. */
  async ready(signal?: AbortSignal): Promise<void> {
    const { synced, stopped } = this.#open();
    if (this.isSynced) return;
    signal?.throwIfAborted();
    let stop = (): void => undefined;
    const given = new Promise<never>((_, reject) => {
      stop = () => reject(signal?.aborted === true ? signal.reason : new InformerClosedError(this.toString()));
    });
    signal?.addEventListener("abort", stop, { once: true });
    stopped.addEventListener("abort", stop, { once: true });
    try {
      await Promise.race([synced, given]);
    } finally {
      signal?.removeEventListener("abort", stop);
      stopped.removeEventListener("abort", stop);
    }
  }

  /** Returns the selection as text: `deployments.apps in default with app=web`. */
  toString(): string {
    return this.#shared.selection.toString();
  }

  /** Removes the subscriptions and indexes of this handle, and stops the watch if this was the last handle. */
  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
    for (const values of this.#indexes.values()) this.#shared.indexes.remove(values);
    this.#isClosed = true;
    this.#release();
  }

  #open(): Shared<T> {
    if (this.#isClosed) throw new InformerClosedError(this.toString());
    return this.#shared;
  }

  #find(key: string | ObjectKey): number {
    const { store } = this.#open();
    const { namespace = "", name } = typeof key === "string" ? parseKey(key) : key;
    return store.find(namespace, name);
  }

  #indexNamed(name: string): IndexFunction<T> {
    const values = this.#indexes.get(name);
    if (values === undefined) {
      throw new ArgumentError({
        argument: "index",
        problem: `is ${name}, an index this informer does not have; add it with index().`,
      });
    }
    return values;
  }
}

function labelsOf(object: DeepReadonly<KubeObject>): Readonly<Record<string, string>> | undefined {
  return object.metadata.labels;
}
