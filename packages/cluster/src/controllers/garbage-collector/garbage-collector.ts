import type { ApiResource, Propagation } from "@homeostat/client";
import {
  ConflictError,
  type DeepReadonly,
  formatApiVersion,
  type KubeObject,
  type OwnerReference,
} from "@homeostat/core";
import type { Informer, WorkQueue } from "@homeostat/runtime";
import type { KindListener } from "../common/kind-catalogue.ts";
import type { ControlLoop, ControlParts } from "../common/parts.ts";
import { controlQueue, type WorkResult, processQueue } from "../common/work.ts";
import { AbsentOwners } from "./absent-owners.ts";
import { decide, misplacedMessage, type Standing, unblocked, withoutOwners } from "./decide.ts";
import { Objects } from "./objects.ts";
import {
  foregroundFinalizer,
  type GraphEffects,
  graphObject,
  type GraphObject,
  orphanFinalizer,
  OwnerGraph,
} from "./owner-graph.ts";

/** Source of its events. */
const component = "garbage-collector-controller";
const workers = 20;
/** Delay until the next check of whether the objects of all kinds are listed. */
const completenessCheckMs = 100;

/**
 * Builds the garbage collector, which deletes objects whose owners are deleted and carries out foreground and orphan
 * deletions.
 *
 * It watches the metadata of every kind. The owner graph only tells which objects to process: the watches of two
 * kinds are not ordered, so an owner that is missing in the graph may exist. Unless a
 * delete event of the owner was received, the owner is therefore read from the API server before a dependent is
 * deleted, and each delete request has the observed uid and resource version as preconditions (`attemptToDeleteItem` in
 * garbagecollector.go).
 */
export function garbageCollector(parts: ControlParts): ControlLoop {
  return { name: component, when: "leading", run: (signal) => new Collector(parts).run(signal) };
}

/**
 * Result of looking up an owner. `unknown-kind`: discovery has no such kind. `out-of-reach`: a cluster-scoped object
 * names a namespaced owner, which cannot be resolved.
 */
type OwnerLookup =
  | { readonly standing: Standing; readonly isMissingInGraph?: boolean }
  | "unknown-kind"
  | "out-of-reach";

class Collector {
  readonly #parts: ControlParts;
  readonly #graph = new OwnerGraph();
  readonly #objects: Objects;
  readonly #absent = new AbsentOwners();
  readonly #queue: WorkQueue;
  /**
   * Uids of objects whose owner reference names a kind that discovery does not have. They are processed again when a
   * kind is added.
   */
  readonly #parked = new Set<string>();

  constructor(parts: ControlParts) {
    this.#parts = parts;
    this.#objects = new Objects(parts.client);
    this.#queue = controlQueue(component, parts.clock);
  }

  async run(signal: AbortSignal): Promise<void> {
    const subscriptions = new Map<ApiResource, Disposable>();
    const listener: KindListener = {
      added: (kind, informer) => {
        subscriptions.set(kind, this.#watch(kind, informer));
        this.#unpark();
      },
      removed: (kind) => {
        subscriptions.get(kind)?.[Symbol.dispose]();
        subscriptions.delete(kind);
        this.#graph.forgetKind({ apiVersion: formatApiVersion(kind), kind: kind.kind });
      },
    };
    using _ = this.#parts.kinds.subscribe(listener);
    const options = { queue: this.#queue, log: this.#parts.log, workers };
    await processQueue(options, (key, stop) => this.#work(key, stop), signal);
    for (const subscription of subscriptions.values()) subscription[Symbol.dispose]();
  }

  #watch(kind: ApiResource, informer: Informer<KubeObject>): Disposable {
    const type = { apiVersion: formatApiVersion(kind), kind: kind.kind };
    return informer.subscribe(({ type: change, object, old }) => {
      // The object was deleted and another one created under the same name; the watch need not deliver the delete
      // event.
      if (old !== undefined && old.metadata.uid !== object.metadata.uid) this.#remove(old.metadata.uid);
      if (change === "delete") this.#remove(object.metadata.uid);
      else this.#apply(this.#graph.put(graphObject(type, object)));
    });
  }

  /**
   * Removes a deleted object from the graph. A delete event proves that the owner does not exist, so its dependents
   * need no request to the API server. Such a request could not be answered anyway if the kind itself is deleted.
   */
  #remove(uid: string): void {
    const object = this.#graph.get(uid);
    if (object === undefined) return;
    for (const dependent of this.#graph.dependentsOf(uid)) {
      const reference = dependent.owners.find((owner) => owner.uid === uid);
      if (reference === undefined || this.#graph.view(reference, dependent) === "other") continue;
      this.#absent.add(reference, dependent.namespace);
    }
    this.#apply(this.#graph.remove(uid));
  }

  #apply({ attemptDelete, orphan, misplaced }: GraphEffects): void {
    for (const uid of attemptDelete) this.#queue.add(uid);
    for (const uid of orphan) this.#queue.add(uid);
    for (const one of misplaced) {
      const { apiVersion, kind, namespace, name, uid } = one.dependent;
      const place = namespace === "" ? {} : { namespace };
      const subject = { apiVersion, kind, metadata: { name, uid, ...place } };
      const message = misplacedMessage(one);
      this.#parts.events.record(component, subject, { type: "Warning", reason: "OwnerRefInvalidNamespace", message });
    }
  }

  #unpark(): void {
    for (const uid of this.#parked) this.#queue.add(uid);
    this.#parked.clear();
  }

  async #work(uid: string, signal: AbortSignal): Promise<WorkResult> {
    const object = this.#graph.get(uid);
    if (object === undefined) return undefined;
    if (!object.isOrphaning && !this.#graph.needsProcessing(object)) return undefined;
    // Objects that are not listed yet may be owners or dependents of this one.
    if (!this.#parts.kinds.isComplete) return { afterMs: completenessCheckMs };
    const kind = this.#parts.kinds.find(object);
    if (kind === undefined) return undefined;
    if (object.isOrphaning) return this.#orphan(kind, object, signal);
    return object.isForeground ? this.#advance(kind, object, signal) : this.#collect(kind, object, signal);
  }

  /** Removes the object from the owner references of its dependents, then removes its `orphan` finalizer. */
  async #orphan(kind: ApiResource, object: GraphObject, signal: AbortSignal): Promise<WorkResult> {
    const release = async (dependent: GraphObject): Promise<void> => {
      const type = this.#parts.kinds.find(dependent);
      if (type === undefined) return;
      await this.#objects.changeOwners(type, dependent, (owners) => withoutOwners(owners, [object.uid]), signal);
    };
    await Promise.all(this.#graph.dependentsOf(object.uid).map(release));
    await this.#objects.removeFinalizer(kind, object, orphanFinalizer, signal);
  }

  /**
   * Removes the `foregroundDeletion` finalizer of an object once no dependent blocks it. Otherwise queues the
   * blocking dependents for deletion.
   */
  async #advance(kind: ApiResource, object: GraphObject, signal: AbortSignal): Promise<WorkResult> {
    const blockers = this.#graph.blockersOf(object.uid);
    if (blockers.length === 0) {
      await this.#objects.removeFinalizer(kind, object, foregroundFinalizer, signal);
      return;
    }
    for (const { uid, isForeground } of blockers) if (!isForeground) this.#queue.add(uid);
  }

  /**
   * Resolves the owners of an object and acts on the decision. The object in the graph may be outdated: the delete
   * request names its resource version, and on a conflict the current version decides.
   */
  async #collect(kind: ApiResource, object: GraphObject, signal: AbortSignal): Promise<WorkResult> {
    const owners: { uid: string; standing: Standing }[] = [];
    let isMissingInGraph = false;
    for (const reference of object.owners) {
      const found = await this.#lookUpOwner(reference, object, signal);
      if (found === "unknown-kind") {
        this.#parked.add(object.uid);
        return undefined;
      }
      if (found === "out-of-reach") return undefined;
      isMissingInGraph ||= found.isMissingInGraph === true;
      owners.push({ uid: reference.uid, standing: found.standing });
    }
    const { finalizers } = object;
    const decision = decide({ finalizers, owners, dependents: this.#graph.dependentsOf(object.uid) });
    switch (decision.type) {
      case "keep":
        // The owner exists and is not in the graph yet. If it is deleted before its kind's watch delivers it, there
        // is no delete event for it, so the object is checked again with back-off.
        return isMissingInGraph ? "retry" : undefined;
      case "release":
        await this.#objects.changeOwners(kind, object, (all) => withoutOwners(all, decision.uids), signal);
        return undefined;
      case "delete":
        return decision.unblock
          ? this.#deleteUnblocked(kind, object, decision.propagation, signal)
          : this.#delete(kind, object, decision.propagation, signal);
    }
  }

  async #delete(
    kind: ApiResource,
    object: GraphObject,
    propagation: Propagation,
    signal: AbortSignal,
  ): Promise<WorkResult> {
    try {
      await this.#objects.delete(kind, object, propagation, signal);
      return undefined;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      // The owner references were changed. The watch event of that change may not have arrived yet; until then retry
      // with back-off.
      const hasNewVersion = this.#graph.get(object.uid)?.resourceVersion !== object.resourceVersion;
      return hasNewVersion ? { afterMs: 0 } : "retry";
    }
  }

  async #deleteUnblocked(
    kind: ApiResource,
    object: GraphObject,
    propagation: Propagation,
    signal: AbortSignal,
  ): Promise<WorkResult> {
    await this.#objects.changeOwners(kind, object, unblocked, signal);
    const now = await this.#objects.getSame(kind, object, signal);
    if (now === undefined) return undefined;
    const type = { apiVersion: object.apiVersion, kind: object.kind };
    return this.#delete(kind, graphObject(type, now), propagation, signal);
  }

  /**
   * Returns the state of an owner. The graph is sufficient evidence that it exists; only the API server is evidence
   * that it does not.
   */
  async #lookUpOwner(
    reference: DeepReadonly<OwnerReference>,
    object: GraphObject,
    signal: AbortSignal,
  ): Promise<OwnerLookup> {
    const view = this.#graph.view(reference, object);
    if (view === "present") return { standing: "solid" };
    if (view === "waiting") return { standing: "waiting" };
    if (this.#absent.has(reference, object.namespace)) return { standing: "dangling" };
    const kind = this.#parts.kinds.find(reference);
    if (kind === undefined) return "unknown-kind";
    if (kind.scope === "Namespaced" && object.namespace === "") return "out-of-reach";
    const namespace = kind.scope === "Namespaced" ? object.namespace : "";
    const owner = await this.#objects.get(kind, { name: reference.name, namespace }, signal);
    if (owner?.metadata.uid !== reference.uid) {
      this.#absent.add(reference, object.namespace);
      return { standing: "dangling" };
    }
    const { deletionTimestamp, finalizers = [] } = owner.metadata;
    const isWaiting = deletionTimestamp !== undefined && finalizers.includes(foregroundFinalizer);
    return { standing: isWaiting ? "waiting" : "solid", isMissingInGraph: view === "unknown" };
  }
}
