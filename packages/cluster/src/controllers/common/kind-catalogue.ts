import type { ApiResource, Client, Discovery } from "@homeostat/client";
import { type Clock, formatApiVersion, formatGroupResource, type KubeObject, type Timer } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import type { Cache, Informer, Logger } from "@homeostat/runtime";
import { controlQueue, type WorkResult, processQueue } from "./work.ts";

/** Dependencies of {@link KindCatalogue}. */
export interface KindCatalogueParts {
  readonly client: Pick<Client, "discover">;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Callbacks for kinds that are added to and removed from the catalogue. */
export interface KindListener {
  /**
   * Called when the catalogue starts to watch a kind. The informer holds the metadata of its objects; the catalogue
   * closes it, the listener must not.
   */
  added(kind: ApiResource, informer: Informer<KubeObject>): void;
  /** Called when a kind and all of its objects are deleted. */
  removed(kind: ApiResource): void;
}

/** Time after which a kind whose objects cannot be listed no longer keeps the catalogue incomplete. */
const syncTimeoutMs = 30_000;
/** Time for which a deleted kind stays watched: the delete events of its last objects may still arrive. */
const removalDelayMs = 5_000;

interface WatchedKind {
  readonly kind: ApiResource;
  readonly informer: Informer<KubeObject>;
  readonly since: number;
  /** Runs while the kind is deleted and delete events of its last objects may still arrive. */
  removal?: Timer | undefined;
}

/**
 * The kinds that an API server has, kept up to date, with a metadata informer for each kind that can be listed,
 * watched and deleted.
 *
 * Custom kinds come and go at any time, and discovery lags behind the CustomResourceDefinitions: a new CRD is served only
 * once it is established, and a deleted one may still be listed for a moment. Each change of a CRD therefore reads
 * discovery again, with back-off, until discovery agrees with the definitions. kube-controller-manager polls discovery
 * every 30 seconds instead (`GarbageCollector.Sync`).
 */
export class KindCatalogue {
  readonly #parts: KindCatalogueParts;
  readonly #followed = new Map<string, WatchedKind>();
  readonly #listeners = new Set<KindListener>();
  #discovery: Discovery = { resources: [], failures: new Map() };
  #isRead = false;
  #waiters: (() => void)[] = [];

  constructor(parts: KindCatalogueParts) {
    this.#parts = parts;
  }

  /** Every kind, in the version that the server prefers. */
  get preferred(): readonly ApiResource[] {
    return preferredKinds(this.#discovery);
  }

  /** Group versions whose discovery failed, with the error message. */
  get failures(): ReadonlyMap<string, string> {
    return this.#discovery.failures;
  }

  /** Returns the kind of an owner reference in exactly that version; undefined when discovery has none. */
  find({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): ApiResource | undefined {
    return this.#discovery.resources.find((known) => known.kind === kind && formatApiVersion(known) === apiVersion);
  }

  /** Returns the metadata informer of a kind; undefined when the kind is not watched. */
  informer(kind: { readonly group: string; readonly plural: string }): Informer<KubeObject> | undefined {
    return this.#followed.get(formatGroupResource(kind))?.informer;
  }

  /**
   * True if the objects of all kinds are listed. A kind that cannot be listed counts as complete after 30 seconds, so
   * that one broken group does not stop garbage collection for all others.
   */
  get isComplete(): boolean {
    if (!this.#isRead) return false;
    const now = this.#parts.clock.monotonic();
    return [...this.#followed.values()].every(
      ({ informer, since, removal }) => informer.isSynced || removal !== undefined || now - since > syncTimeoutMs,
    );
  }

  /** Calls the listener for every kind that is watched now, and for later changes. */
  subscribe(listener: KindListener): Disposable {
    this.#listeners.add(listener);
    for (const { kind, informer } of this.#followed.values()) listener.added(kind, informer);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Resolves after the first read of discovery, or when the catalogue stops. */
  async ready(): Promise<void> {
    if (this.#isRead) return;
    await new Promise<void>((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  /** Reads discovery now, independently of the reads that CRD changes cause. */
  async refresh(signal: AbortSignal): Promise<void> {
    const discovery = await this.#parts.client.discover({ signal });
    this.#accept(discovery);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { cache, clock, log } = this.#parts;
    const queue = controlQueue("kinds", clock, 30_000);
    using definitions = cache.informer(CustomResourceDefinition, { metadataOnly: true });
    const deleted = new Set<string>();
    using _ = definitions.subscribe(({ type, object }) => {
      if (type === "delete") deleted.add(object.metadata.name);
      else deleted.delete(object.metadata.name);
      queue.forget("kinds");
      queue.add("kinds");
    });
    queue.add("kinds");
    const work = async (_key: string, stop: AbortSignal): Promise<WorkResult> => {
      await this.refresh(stop);
      return agrees(this.#discovery, { present: [...definitions.keys()], deleted }) ? undefined : "retry";
    };
    await processQueue({ queue, log }, work, signal);
    for (const { informer, removal } of this.#followed.values()) {
      removal?.[Symbol.dispose]();
      informer[Symbol.dispose]();
    }
    this.#followed.clear();
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  #accept(discovery: Discovery): void {
    this.#discovery = discovery;
    const { cache, clock } = this.#parts;
    const desired = new Map(watchedKinds(discovery).map((kind) => [formatGroupResource(kind), kind]));
    for (const [name, watched] of this.#followed) {
      const { kind, removal } = watched;
      const next = desired.get(name);
      if (next !== undefined && next.version === kind.version && next.kind === kind.kind) {
        removal?.[Symbol.dispose]();
        watched.removal = undefined;
      } else if (next !== undefined) {
        this.#drop(name, watched);
      } else if (!discovery.failures.has(formatApiVersion(kind))) {
        // Discovery of this group failed (for example an aggregated API server is down): the kind is not deleted.
        watched.removal ??= clock.schedule(removalDelayMs, () => this.#drop(name, watched));
      }
    }
    for (const [name, kind] of desired) {
      if (this.#followed.has(name)) continue;
      const informer = cache.informer(kind, { metadataOnly: true });
      this.#followed.set(name, { kind, informer, since: clock.monotonic() });
      for (const listener of this.#listeners) listener.added(kind, informer);
    }
    this.#isRead = true;
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  #drop(name: string, { kind, informer, removal }: WatchedKind): void {
    removal?.[Symbol.dispose]();
    this.#followed.delete(name);
    for (const listener of this.#listeners) listener.removed(kind);
    informer[Symbol.dispose]();
  }
}

/** Returns every kind once, in the first version that discovery lists. */
export function preferredKinds({ resources }: Discovery): readonly ApiResource[] {
  const seen = new Map<string, ApiResource>();
  for (const resource of resources) {
    const name = formatGroupResource(resource);
    if (!seen.has(name)) seen.set(name, resource);
  }
  return [...seen.values()];
}

/**
 * Returns the kinds whose objects can be garbage collected: those with the verbs list, watch and delete. Events have
 * no owners and are ignored, as `DefaultIgnoredResources` of kube-controller-manager does.
 */
export function watchedKinds(discovery: Discovery): readonly ApiResource[] {
  return preferredKinds(discovery).filter(
    ({ verbs, group, plural }) =>
      ["delete", "list", "watch"].every((verb) => verbs.includes(verb)) &&
      !(plural === "events" && (group === "" || group === "events.k8s.io")),
  );
}

/** Reports whether discovery lists every defined kind and no kind whose definition is deleted. */
export function agrees(
  { resources }: Discovery,
  definitions: { readonly present: readonly string[]; readonly deleted: Iterable<string> },
): boolean {
  const names = new Set(resources.map((resource) => formatGroupResource(resource)));
  return (
    definitions.present.every((name) => names.has(name)) && ![...definitions.deleted].some((name) => names.has(name))
  );
}
