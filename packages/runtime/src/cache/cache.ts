import { setMaxListeners } from "node:events";
import { type Clock, type KubeObject, type ObjectKey, type Random, type ResourceType } from "@homeostat/core";
import { Informer } from "./informer.ts";
import type { Shape } from "./intake.ts";
import type { InformerHealth } from "./health.ts";
import type { CacheObserver } from "./observer.ts";
import type { FieldPath } from "./projection.ts";
import type { ReflectorSettings } from "./reflector.ts";
import { Selection, type SelectionOptions } from "./selection.ts";
import { type InformerContext, SharedInformer } from "./shared-informer.ts";
import type { Sources, SourceSelection } from "./source.ts";
import type { MemoLimits } from "./memo.ts";
import { openTicket } from "./ticket.ts";
import type { Writer, WriteTicket } from "./writes.ts";

/** Options of a {@link Cache}. */
export interface CacheOptions {
  /** Source of the objects, usually `clientSources(client)`. */
  readonly sources: Sources;
  readonly clock: Clock;
  readonly random: Random;
  /** Receives a note for every list, watch, retry and error, for metrics and logs. */
  readonly observer?: CacheObserver;
  /** List and watch settings of all informers. */
  readonly reflector?: ReflectorSettings;
  /** Limits on the parsed objects that each informer keeps in memory. */
  readonly memo?: MemoLimits;
}

/** Options of one informer: the objects it selects and the parts of them it keeps. */
export interface InformerOptions extends SelectionOptions {
  /**
   * True to keep `metadata.managedFields`. By default it is dropped: it is often a third of an object and rarely read.
   */
  readonly managedFields?: boolean;
}

/** An object of which only the projected fields are kept: every field outside `metadata` is optional. */
export type PartialObject<T extends KubeObject> = KubeObject & {
  readonly [K in Exclude<keyof T, keyof KubeObject>]?: DeepPartial<T[K]>;
};

type DeepPartial<T> = T extends readonly (infer E)[]
  ? readonly DeepPartial<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: DeepPartial<T[K]> }
    : T;

/** State and memory use of one informer. */
export interface InformerStats {
  /** The selection as text: `deployments.apps in default`. */
  readonly name: string;
  readonly type: ResourceType;
  readonly objects: number;
  /** Bytes of the stored objects. */
  readonly bytes: number;
  /** Memory allocated outside the JavaScript heap, including dead bytes and free space. */
  readonly heldBytes: number;
  /** Number of open {@link Informer} handles. */
  readonly users: number;
  readonly health: InformerHealth;
}

/** The resource versions in an informer. */
export interface CachedVersions {
  readonly selection: SourceSelection;
  readonly isSynced: boolean;
  /** Resource versions by key. */
  readonly byKey: ReadonlyMap<string, string>;
}

type AnyInformer = SharedInformer<KubeObject, KubeObject>;

/**
 * A cache of Kubernetes objects with one list and watch per selection, shared by all parts of the program that use it.
 *
 * Unlike a controller-runtime cache, reading never starts a watch: an informer exists only where
 * {@link Cache.informer} was called. Writes announced with {@link Cache.write} are visible to reads as soon as the
 * server has responded, before the watch delivers them.
 *
 * @example
 * const cache = new Cache({ sources: clientSources(client), clock: systemClock, random: systemRandom });
 * using jobs = cache.informer(Job, { namespace: "default" });
 * const running = cache.run(signal);
 * await jobs.ready(signal);
 * jobs.get("default/load");
 */
export class Cache {
  readonly #context: InformerContext;
  readonly #informers = new Map<string, AnyInformer[]>();
  readonly #tasks = new Set<Promise<void>>();
  #signal: AbortSignal | undefined;

  constructor({ reflector, ...options }: CacheOptions) {
    this.#context = { ...options, settings: reflector };
  }

  /** Returns an informer that requests and keeps only `metadata` (`PartialObjectMetadata`). */
  informer(type: ResourceType, options: InformerOptions & { readonly metadataOnly: true }): Informer<KubeObject>;
  /**
   * Returns an informer that keeps only the given fields, plus the identity, labels, owners and finalizers of each
   * object.
   */
  informer<T extends KubeObject>(
    type: ResourceType<T>,
    options: InformerOptions & { readonly project: readonly FieldPath[] },
  ): Informer<PartialObject<T>>;
  /**
   * Returns an informer that stores the result of `transform` for each object. Name, namespace, uid and
   * resourceVersion cannot be changed by it.
   */
  informer<T extends KubeObject, U extends KubeObject>(
    type: ResourceType<T>,
    options: InformerOptions & { readonly transform: (object: T) => U },
  ): Informer<U>;
  /**
   * Returns a handle on the objects of a selection. Handles for the same selection and shape share one watch, which
   * starts when the cache runs and stops when the last handle is disposed of.
   */
  informer<T extends KubeObject>(type: ResourceType<T>, options?: InformerOptions): Informer<T>;
  informer(type: ResourceType, options: SelectionOptions & Shape<KubeObject> = {}): Informer<KubeObject> {
    const { managedFields, metadataOnly, project, transform } = options;
    const shape = { managedFields, metadataOnly, project, transform };
    const selection = new Selection(type, options);
    const shared = this.#find(selection, shape) ?? this.#make(selection, shape);
    shared.users += 1;
    return new Informer<KubeObject>(shared, () => this.#release(shared));
  }

  /**
   * Runs all informers, including those added later, until the signal aborts. Resolves when all of them have stopped.
   */
  async run(signal: AbortSignal): Promise<void> {
    // One listener on the caller's signal for all informers: with one each, Node would print
    // MaxListenersExceededWarning.
    const stopping = new AbortController();
    setMaxListeners(0, stopping.signal);
    if (signal.aborted) stopping.abort(signal.reason);
    this.#signal = stopping.signal;
    for (const informer of this.#all()) this.#start(informer);
    if (!signal.aborted) {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      stopping.abort(signal.reason);
    }
    this.#signal = undefined;
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
  }

  /**
   * Announces a write before it is sent. Pass the response to the returned ticket; reads then show its result at once.
   *
   * Announcing must come first: the watch may deliver the change before the response arrives, and the cache has to
   * know that the change may be the caller's own.
   *
   * @example
   * using ticket = cache.write(Job, { namespace: "default", name: "load" }, writer);
   * ticket.wrote(await client.create(job));
   */
  write(type: ResourceType, key: ObjectKey, writer?: Writer): WriteTicket {
    return openTicket({ type, key, writer, receivers: () => this.#ofType(type) });
  }

  /** Returns the state and memory use of all informers. */
  stats(): readonly InformerStats[] {
    return [...this.#all()].map((informer) => ({
      name: informer.selection.toString(),
      type: informer.type,
      objects: informer.store.size,
      bytes: informer.store.liveBytes,
      heldBytes: informer.store.heldBytes,
      users: informer.users,
      health: { ...informer.reflector.health },
    }));
  }

  /** @internal Returns the resource versions in all informers, for tests that compare the cache with the API server. */
  versions(): readonly CachedVersions[] {
    return [...this.#all()].map(({ store, selection, reflector }) => ({
      selection: selection.request(true),
      isSynced: reflector.health.isSynced,
      byKey: new Map([...store.slots()].map((slot) => [store.keyOf(slot), String(store.versionOf(slot))])),
    }));
  }

  /** Drops the parsed objects and the buffers of all informers to free memory. Objects are parsed again on the next read. */
  releaseParsed(): void {
    for (const informer of this.#all()) informer.release();
  }

  #find(selection: Selection, shape: Shape<KubeObject>): AnyInformer | undefined {
    return this.#ofType(selection.type).find(
      (other) =>
        other.selection.toString() === selection.toString() &&
        other.shape.transform === shape.transform &&
        JSON.stringify(other.shape) === JSON.stringify(shape),
    );
  }

  #make(selection: Selection, shape: Shape<KubeObject>): AnyInformer {
    const informer: AnyInformer = new SharedInformer(selection, shape, this.#context);
    const key = typeKey(selection.type);
    this.#informers.set(key, [...(this.#informers.get(key) ?? []), informer]);
    this.#start(informer);
    return informer;
  }

  #release(informer: AnyInformer): void {
    informer.users -= 1;
    if (informer.users > 0) return;
    informer.stop();
    const key = typeKey(informer.type);
    const rest = this.#ofType(informer.type).filter((other) => other !== informer);
    if (rest.length === 0) this.#informers.delete(key);
    else this.#informers.set(key, rest);
  }

  #start(informer: AnyInformer): void {
    if (this.#signal === undefined) return;
    const task = informer.run(this.#signal).finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  #ofType(type: ResourceType): readonly AnyInformer[] {
    return this.#informers.get(typeKey(type)) ?? [];
  }

  *#all(): Generator<AnyInformer> {
    for (const informers of this.#informers.values()) yield* informers;
  }
}

/** Memoized keys of resource types: each write looks its type up twice. */
const typeKeys = new WeakMap<ResourceType, string>();

function typeKey(type: ResourceType): string {
  let key = typeKeys.get(type);
  if (key === undefined) {
    key = `${type.group}/${type.version}/${type.plural}`;
    typeKeys.set(type, key);
  }
  return key;
}
