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
import type { Sources } from "./source.ts";
import type { MemoLimits } from "./memo.ts";
import { openTicket } from "./ticket.ts";
import type { Writer, WriteTicket } from "./writes.ts";

/** Options of a {@link Cache}. */
export interface CacheOptions {
  /** Where objects come from: `clientSources(client)`. */
  readonly sources: Sources;
  readonly clock: Clock;
  readonly random: Random;
  /** Told what happens, for metrics and logs. */
  readonly observer?: CacheObserver;
  /** How informers list and watch. */
  readonly reflector?: ReflectorSettings;
  /** How many parsed objects each informer keeps. */
  readonly memo?: MemoLimits;
}

/** Which objects, and how much of each. */
export interface InformerOptions extends SelectionOptions {
  /** Keep `metadata.managedFields`, which is dropped otherwise. */
  readonly managedFields?: boolean;
}

/** An object of which only some fields are kept. */
export type PartialObject<T extends KubeObject> = KubeObject & {
  readonly [K in Exclude<keyof T, keyof KubeObject>]?: DeepPartial<T[K]>;
};

type DeepPartial<T> = T extends readonly (infer E)[]
  ? readonly DeepPartial<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: DeepPartial<T[K]> }
    : T;

/** How one informer is doing, and what it costs. */
export interface InformerStats {
  /** What it is about: `deployments.apps in default`. */
  readonly name: string;
  readonly type: ResourceType;
  readonly objects: number;
  /** The bytes of its objects. */
  readonly bytes: number;
  /** The memory they take outside the JavaScript heap. */
  readonly heldBytes: number;
  /** How many handles there are. */
  readonly users: number;
  readonly health: InformerHealth;
}

type AnyInformer = SharedInformer<KubeObject, KubeObject>;

/**
 * The objects a program works with, kept up to date by one watch per selection, however many parts of the program use it.
 *
 * Nothing is watched that was not asked for. Writes that are recorded here can be read at once.
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

  /** An informer that keeps only `metadata`, and asks the server for nothing else. */
  informer(type: ResourceType, options: InformerOptions & { readonly metadataOnly: true }): Informer<KubeObject>;
  /** An informer that keeps only the given fields, and those that tell which object it is and whose. */
  informer<T extends KubeObject>(
    type: ResourceType<T>,
    options: InformerOptions & { readonly project: readonly FieldPath[] },
  ): Informer<PartialObject<T>>;
  /** An informer that keeps what `transform` makes of each object. Names, uid and resourceVersion stay what they are. */
  informer<T extends KubeObject, U extends KubeObject>(
    type: ResourceType<T>,
    options: InformerOptions & { readonly transform: (object: T) => U },
  ): Informer<U>;
  /**
   * A handle on the objects of a selection. The watch behind it is shared with everybody who asks for the same, begins when
   * the cache runs, and ends with the last handle.
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

  /** Runs all informers, those that are added later included, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    // One listener for all of them: there may be more than Node takes for sensible on somebody else's signal.
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
   * Announces a write, before it is sent. What comes of it is told to the ticket, and can then be read at once.
   *
   * @example
   * using ticket = cache.write(Job, { namespace: "default", name: "load" }, writer);
   * ticket.wrote(await client.create(job));
   */
  write(type: ResourceType, key: ObjectKey, writer?: Writer): WriteTicket {
    return openTicket({ type, key, writer, receivers: () => this.#ofType(type) });
  }

  /** How all informers are doing. */
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

  /** Drops the parsed objects of all informers, to save memory at rest. They are parsed again when they are read. */
  releaseParsed(): void {
    for (const { store } of this.#all()) store.releaseParsed();
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

/** The keys of kinds that were asked for: each write asks twice. */
const typeKeys = new WeakMap<ResourceType, string>();

function typeKey(type: ResourceType): string {
  let key = typeKeys.get(type);
  if (key === undefined) {
    key = `${type.group}/${type.version}/${type.plural}`;
    typeKeys.set(type, key);
  }
  return key;
}
