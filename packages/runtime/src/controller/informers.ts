import { keyOf, type KubeObject, type Stored } from "@homeostat/core";
import type { Cache } from "../cache/cache.ts";
import type { Informer } from "../cache/informer.ts";
import { LruMap } from "../events/lru-map.ts";
import type { ReconcileReads } from "../history/reconcile-reads.ts";
import { ownerUidOf } from "../writes/ownership.ts";
import { ownerIndex } from "../writes/reconcile-scope.ts";
import type { Controller } from "./definition.ts";
import { type CachedShape, type IndexFunctions, isManaged, type OwnedKind, type WatchedKind } from "../kinds/kinds.ts";
import { projectOf } from "../kinds/projected.ts";
import { type FollowedKind, KindReader } from "./kind-reader.ts";
import { reportReads } from "./report-reads.ts";
import type { ManagedInformer } from "../managed/managed-set.ts";
import { Ownership } from "../managed/ownership.ts";

/** An informer with indexes of any name. */
export type AnyInformer = Informer<KubeObject, string>;

/** An owned kind with its informer. */
export interface OwnedInformer {
  readonly name: string;
  readonly kind: OwnedKind;
  readonly informer: Informer<KubeObject, typeof ownerIndex>;
  /** Last state of deleted objects by key; undefined without `remembersDeleted`. */
  readonly deleted: LruMap<string, Stored<KubeObject>> | undefined;
}

/** A watched kind with its informer. */
export interface WatchedInformer {
  readonly name: string;
  readonly kind: WatchedKind;
  readonly informer: AnyInformer;
}

/** Index of primary objects by UID, for finding the owner of a managed object without controller reference. */
const uidIndex = "homeostat.dev/uid";

/** All informers of a controller. Disposing of it stops them. */
export class ControllerInformers implements Disposable {
  readonly primary: AnyInformer;
  /** The owned kinds that are cached. */
  readonly owned: readonly OwnedInformer[];
  readonly watched: readonly WatchedInformer[];
  /** Rules for recognizing managed objects of this controller. */
  readonly ownership: Ownership;
  /** All managed kinds, including those that are not cached. */
  readonly managed: readonly ManagedInformer[];
  /** Informers of the watched kinds, by the names that the reconciler uses. */
  readonly watchedByName: Readonly<Record<string, AnyInformer>>;
  readonly reader: KindReader;

  /** @param reads Returns the record of reads of the reconcile that the calling code is part of. Default: reads are not recorded. */
  constructor({ definition }: Controller, cache: Cache, reads?: () => ReconcileReads | undefined) {
    const { for: type, select = {}, indexes = {}, owns = {}, watches = {} } = definition;
    const kinds = Object.entries(owns);
    const ownership = new Ownership(definition.ownership);
    const primary = withIndexes(shapedInformer({ type, select, shape: { project: projectOf(type) } }, cache), indexes);
    const hasManaged = kinds.some(([, kind]) => isManaged(kind));
    this.ownership = ownership;
    this.primary = hasManaged ? primary.index(uidIndex, ({ metadata }) => metadata.uid) : primary;
    this.owned = kinds
      .filter(([, kind]) => !isManaged(kind) || kind.rules.cached)
      .map(([name, kind]) => {
        const ownerUid = isManaged(kind) ? (object: Stored<KubeObject>) => ownership.ownerUidOf(object) : ownerUidOf;
        const informer = shapedInformer(kind, cache).index(ownerIndex, ownerUid);
        return {
          name,
          kind,
          informer,
          deleted: kind.remembersDeleted === true ? rememberDeleted(informer) : undefined,
        };
      });
    this.managed = kinds.flatMap(([name, kind]) =>
      isManaged(kind) ? [{ kind, informer: this.owned.find((owned) => owned.name === name)?.informer }] : [],
    );
    this.watched = Object.entries(watches).map(([name, kind]) => ({
      name,
      kind,
      informer: withIndexes(shapedInformer(kind, cache), kind.indexes),
    }));
    this.watchedByName = Object.fromEntries(this.watched.map(({ name, informer }) => [name, informer]));
    this.reader = new KindReader(this.#followed(definition));
    if (reads !== undefined) {
      for (const { type: kind, informer } of this.#followed(definition)) reportReads(informer, kind, reads);
    }
  }

  /** Yields all informers. */
  *all(): Generator<Informer<KubeObject>> {
    yield this.primary;
    for (const { informer } of this.owned) yield informer;
    for (const { informer } of this.watched) yield informer;
  }

  /** Returns the key of the primary object with a UID; undefined when it is not cached. */
  keyOfUid(uid: string): string | undefined {
    const [found] = this.primary.by(uidIndex, uid);
    return found === undefined ? undefined : keyOf(found);
  }

  /** Resolves when all informers have completed their initial list. */
  async ready(signal: AbortSignal): Promise<void> {
    // Sequential to have one abort listener at a time; the informers list in parallel anyway.
    for (const informer of this.all()) await informer.ready(signal);
  }

  [Symbol.dispose](): void {
    for (const informer of this.all()) informer[Symbol.dispose]();
  }

  *#followed({ for: type, indexes = {} }: Controller["definition"]): Generator<FollowedKind> {
    yield { type, informer: this.primary, indexes: new Set(Object.keys(indexes)) };
    for (const { kind, informer } of this.owned) {
      yield { type: kind.type, informer, indexes: new Set([ownerIndex]) };
    }
    for (const { kind, informer } of this.watched) {
      yield { type: kind.type, informer, indexes: new Set(Object.keys(kind.indexes)) };
    }
  }
}

/** Maximum number of deleted objects that are remembered per kind. */
const deletedMax = 1000;

/** Remembers the last state of objects that are deleted from now on, until the informer is closed. */
function rememberDeleted(informer: Informer<KubeObject, typeof ownerIndex>): LruMap<string, Stored<KubeObject>> {
  const deleted = new LruMap<string, Stored<KubeObject>>(deletedMax);
  informer.subscribe((event) => {
    if (event.type === "delete" && ownerUidOf(event.object) !== undefined) deleted.set(event.key, event.object);
  });
  return deleted;
}

/** Returns the informer of a kind that caches the part of each object that the definition requests. */
function shapedInformer(
  { type, select, shape = {} }: Pick<WatchedKind, "type" | "select"> & { readonly shape?: CachedShape },
  cache: Cache,
): Informer<KubeObject> {
  if (shape.metadataOnly === true) return cache.informer(type, { ...select, metadataOnly: true });
  if (shape.project !== undefined) return cache.informer(type, { ...select, project: shape.project });
  if (shape.transform !== undefined) return cache.informer(type, { ...select, transform: shape.transform });
  return cache.informer(type, select);
}

function withIndexes(informer: Informer<KubeObject>, indexes: IndexFunctions<KubeObject>): AnyInformer {
  let indexed: AnyInformer = informer;
  for (const [name, values] of Object.entries(indexes)) indexed = indexed.index(name, values);
  return indexed;
}
