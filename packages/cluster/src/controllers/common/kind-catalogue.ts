import type { ApiResource, Client, Discovery } from "@homeostat/client";
import { type Clock, formatApiVersion, formatGroupResource, type KubeObject, type Timer } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import type { Cache, Informer, Logger } from "@homeostat/runtime";
import { controlQueue, type WorkResult, workThrough } from "./work.ts";

/** What {@link KindCatalogue} needs. */
export interface KindCatalogueParts {
  readonly client: Pick<Client, "discover">;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Is told of kinds whose objects can be followed. */
export interface KindListener {
  /** A kind is there. The informer has the metadata of its objects, and is not the listener's to close. */
  added(kind: ApiResource, informer: Informer<KubeObject>): void;
  /** A kind is gone, and so are its objects. */
  removed(kind: ApiResource): void;
}

/** How long the objects of a kind that cannot be listed are waited for. */
const patienceMs = 30_000;
/** How long a kind is followed after it is gone: that its last objects went may be on its way still. */
const leavingMs = 5_000;

interface Followed {
  readonly kind: ApiResource;
  readonly informer: Informer<KubeObject>;
  readonly since: number;
  /** Runs while the kind is gone and its last news are waited for. */
  leaving?: Timer | undefined;
}

/**
 * The kinds that a server has, kept up to date, with an informer on the metadata of the objects of each kind that can be
 * listed, watched and deleted.
 *
 * Custom kinds come and go at any time. Every change of a definition leads to another look, and to more until what the
 * server says of its kinds agrees with the definitions.
 */
export class KindCatalogue {
  readonly #parts: KindCatalogueParts;
  readonly #followed = new Map<string, Followed>();
  readonly #listeners = new Set<KindListener>();
  #discovery: Discovery = { resources: [], failures: new Map() };
  #isRead = false;
  #waiters: (() => void)[] = [];

  constructor(parts: KindCatalogueParts) {
    this.#parts = parts;
  }

  /** Every kind in the version that the server prefers. */
  get preferred(): readonly ApiResource[] {
    return preferredKinds(this.#discovery);
  }

  /** Groups and versions of which the server could not say what they have. */
  get failures(): ReadonlyMap<string, string> {
    return this.#discovery.failures;
  }

  /** The kind of an owner reference, in exactly that version; undefined when there is none. */
  find({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): ApiResource | undefined {
    return this.#discovery.resources.find((known) => known.kind === kind && formatApiVersion(known) === apiVersion);
  }

  /** The informer on the metadata of a kind's objects, when it is followed. */
  informer(kind: { readonly group: string; readonly plural: string }): Informer<KubeObject> | undefined {
    return this.#followed.get(formatGroupResource(kind))?.informer;
  }

  /** Whether the objects of all kinds are known; those of a kind that does not answer are not waited for endlessly. */
  get isComplete(): boolean {
    if (!this.#isRead) return false;
    const now = this.#parts.clock.monotonic();
    return [...this.#followed.values()].every(
      ({ informer, since, leaving }) => informer.isSynced || leaving !== undefined || now - since > patienceMs,
    );
  }

  /** Tells a listener of every kind that is followed now, and of changes. */
  subscribe(listener: KindListener): Disposable {
    this.#listeners.add(listener);
    for (const { kind, informer } of this.#followed.values()) listener.added(kind, informer);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Resolves when the server has been asked for its kinds once. */
  async ready(): Promise<void> {
    if (this.#isRead) return;
    await new Promise<void>((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  /** Reads discovery now, beside the regular looks. */
  async refresh(signal: AbortSignal): Promise<void> {
    const discovery = await this.#parts.client.discover({ signal });
    this.#accept(discovery);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { cache, clock, log } = this.#parts;
    const queue = controlQueue("kinds", clock, 30_000);
    using definitions = cache.informer(CustomResourceDefinition, { metadataOnly: true });
    const gone = new Set<string>();
    using _ = definitions.subscribe(({ type, object }) => {
      if (type === "delete") gone.add(object.metadata.name);
      else gone.delete(object.metadata.name);
      queue.forget("kinds");
      queue.add("kinds");
    });
    queue.add("kinds");
    const work = async (_key: string, stop: AbortSignal): Promise<WorkResult> => {
      await this.refresh(stop);
      return agrees(this.#discovery, { present: [...definitions.keys()], gone }) ? undefined : "retry";
    };
    await workThrough({ queue, log }, work, signal);
    for (const { informer, leaving } of this.#followed.values()) {
      leaving?.[Symbol.dispose]();
      informer[Symbol.dispose]();
    }
    this.#followed.clear();
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  #accept(discovery: Discovery): void {
    this.#discovery = discovery;
    const { cache, clock } = this.#parts;
    const wanted = new Map(followedKinds(discovery).map((kind) => [formatGroupResource(kind), kind]));
    for (const [name, followed] of this.#followed) {
      const { kind, leaving } = followed;
      const next = wanted.get(name);
      if (next !== undefined && next.version === kind.version && next.kind === kind.kind) {
        leaving?.[Symbol.dispose]();
        followed.leaving = undefined;
      } else if (next !== undefined) {
        this.#drop(name, followed);
      } else if (!discovery.failures.has(formatApiVersion(kind))) {
        // A group that does not answer is not gone.
        followed.leaving ??= clock.schedule(leavingMs, () => this.#drop(name, followed));
      }
    }
    for (const [name, kind] of wanted) {
      if (this.#followed.has(name)) continue;
      const informer = cache.informer(kind, { metadataOnly: true });
      this.#followed.set(name, { kind, informer, since: clock.monotonic() });
      for (const listener of this.#listeners) listener.added(kind, informer);
    }
    this.#isRead = true;
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  #drop(name: string, { kind, informer, leaving }: Followed): void {
    leaving?.[Symbol.dispose]();
    this.#followed.delete(name);
    for (const listener of this.#listeners) listener.removed(kind);
    informer[Symbol.dispose]();
  }
}

/** Every kind once, in the version that comes first. */
export function preferredKinds({ resources }: Discovery): readonly ApiResource[] {
  const seen = new Map<string, ApiResource>();
  for (const resource of resources) {
    const name = formatGroupResource(resource);
    if (!seen.has(name)) seen.set(name, resource);
  }
  return [...seen.values()];
}

/** The kinds whose objects can be collected: those that can be listed, watched and deleted. Events own nothing. */
export function followedKinds(discovery: Discovery): readonly ApiResource[] {
  return preferredKinds(discovery).filter(
    ({ verbs, group, plural }) =>
      ["delete", "list", "watch"].every((verb) => verbs.includes(verb)) &&
      !(plural === "events" && (group === "" || group === "events.k8s.io")),
  );
}

/** Whether discovery knows the kinds that are defined, and no more those whose definitions are gone. */
export function agrees(
  { resources }: Discovery,
  definitions: { readonly present: readonly string[]; readonly gone: Iterable<string> },
): boolean {
  const names = new Set(resources.map((resource) => formatGroupResource(resource)));
  return definitions.present.every((name) => names.has(name)) && ![...definitions.gone].some((name) => names.has(name));
}
