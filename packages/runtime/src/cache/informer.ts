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
import type { SharedInformer } from "./shared-informer.ts";

/** Which of the cached objects to list. */
export interface ListQuery {
  readonly namespace?: string;
  /** Only those whose labels match: `"app=web"`. */
  readonly labels?: LabelSelector | string;
}

/** Somebody who is told of changes. Disposing of it ends that. */
export interface Subscription extends Disposable {
  /** Resolves when everything that was there at the beginning has been told. */
  readonly replayed: Promise<void>;
}

/** Shares a {@link SharedInformer}: all that {@link Informer} needs to know of it, whatever it was made from. */
type Shared<T> = Omit<SharedInformer<never, T>, "wrote" | "shape" | "reflector"> & {
  readonly reflector: { readonly health: InformerHealth };
};

/**
 * The objects of one selection, always at hand and up to date.
 *
 * What is read is frozen and shared. It never shows less than this process has written, and never goes back in time. A
 * handle: disposing of the last one for a selection ends its watch and frees its memory.
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
  #isClosed = false;

  /** Made by `Cache.informer`. */
  constructor(shared: Shared<T>, release: () => void) {
    this.#shared = shared;
    this.#release = release;
  }

  // ── reading ──

  /** The object, frozen; undefined when there is none. The key is `"namespace/name"`, `"name"`, or the two names. */
  get(key: string | ObjectKey): Stored<T> | undefined {
    const slot = this.#find(key);
    return slot < 0 ? undefined : this.#shared.store.objectOf(slot);
  }

  /** Whether there is such an object, without parsing it. */
  has(key: string | ObjectKey): boolean {
    return this.#find(key) >= 0;
  }

  /** The objects, frozen: all, those of a namespace, those with some labels. */
  list({ namespace, labels }: ListQuery = {}): readonly Stored<T>[] {
    const { store } = this.#open();
    const selector = typeof labels === "string" ? parseLabelSelector(labels) : (labels ?? LabelSelector.everything);
    const found: Stored<T>[] = [];
    if (selector.isNothing) return found;
    for (const slot of store.slots(namespace)) {
      const object = store.passingObjectOf(slot);
      if (selector.isEverything || selector.matches(labelsOf(object))) found.push(object);
    }
    return found;
  }

  /** The keys of all objects, or of those in a namespace, without parsing any. */
  *keys(namespace?: string): Generator<string> {
    const { store } = this.#open();
    for (const slot of store.slots(namespace)) yield store.keyOf(slot);
  }

  /** How many objects there are. */
  get size(): number {
    return this.#open().store.size;
  }

  /** How many bytes the objects have, and how much memory they take outside the JavaScript heap. */
  get bytes(): { readonly objects: number; readonly held: number } {
    const { store } = this.#open();
    return { objects: store.liveBytes, held: store.heldBytes };
  }

  // ── indexes ──

  /**
   * Adds an index: a name, and the values under which an object is to be found. Returns the same informer, which knows the name.
   *
   * It is kept up to date with every change. With an index, objects are parsed as they arrive.
   */
  index<const N extends string>(name: N, values: IndexFunction<T>): Informer<T, I | N> {
    const { indexes } = this.#open();
    const before = this.#indexes.get(name);
    if (before !== undefined) {
      if (before === values) return this;
      throw new ArgumentError({
        argument: "name",
        problem: `is ${name}, which this informer has already; choose another.`,
      });
    }
    indexes.add(values);
    this.#indexes.set(name, values);
    return this;
  }

  /** The objects that an index has under a value. */
  by(index: I, value: string): readonly Stored<T>[] {
    const { indexes, store } = this.#open();
    return indexes.slots(this.#indexNamed(index), value).map((slot) => store.objectOf(slot));
  }

  /** The values that an index has objects under. */
  valuesOf(index: I): readonly string[] {
    return this.#open().indexes.valuesOf(this.#indexNamed(index));
  }

  // ── following ──

  /**
   * Calls a function for every change, in order; first, for every object that is there, as an addition.
   *
   * The first call comes after this one has returned. A function that throws does no harm; the cache's observer is told.
   */
  subscribe(handler: EventHandler<T>): Subscription {
    const { dispatcher, newPacer } = { dispatcher: this.#open().dispatcher, newPacer: () => this.#shared.newPacer() };
    const subscriber = dispatcher.add(handler);
    const replayed = Promise.resolve().then(() => dispatcher.replay(subscriber, newPacer()));
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
   * The same as a stream, for a reader that takes its time: several changes of one object that happen meanwhile are one.
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
    const replay = dispatcher.replay(subscriber, this.#shared.newPacer());
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

  /** Whether it has ever had everything. From then on it is at most behind, never incomplete. */
  get isSynced(): boolean {
    return this.#shared.reflector.health.isSynced;
  }

  /** Where it stands, now. */
  get health(): InformerHealth {
    return { ...this.#shared.reflector.health };
  }

  /** Resolves when everything is there for the first time. Rejects when the signal aborts or the informer is disposed of. */
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

  /** What it is about: `deployments.apps in default with app=web`. */
  toString(): string {
    return this.#shared.selection.toString();
  }

  /** Ends the subscriptions and indexes of this handle, and the watch if it was the last. */
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
      throw new ArgumentError({ argument: "index", problem: `is ${name}, which this informer does not have.` });
    }
    return values;
  }
}

function labelsOf(object: DeepReadonly<KubeObject>): Readonly<Record<string, string>> | undefined {
  return object.metadata.labels;
}
