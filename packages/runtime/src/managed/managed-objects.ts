import type { DeepReadonly, KubeObject } from "@homeostat/core";
import type { DesiredObject, ObjectOutcome, ObjectRef, PlannedAction, Tier } from "./desired.ts";
import type { ObjectFailure } from "./errors.ts";
import type { OwnedObject } from "./prune.ts";

/** Objects that a sync must know of beside the desired ones. */
export interface PruneOptions {
  /** Objects that are not desired now and must not be pruned either. */
  readonly keep?: readonly ObjectRef[] | undefined;
  /** Objects of kinds that are not cached, as this reconcile has read them, that should not exist. */
  readonly remove?: readonly OwnedObject[] | undefined;
}

/** Options of {@link ManagedObjects.sync}. */
export interface SyncOptions extends PruneOptions {
  /**
   * Whether an earlier reconcile of the same generation completed the set: then an object that is missing was deleted by another client,
   * and counts as drift. Default: false.
   */
  readonly wasComplete?: boolean | undefined;
}

/** An object that is not desired any more. `deleting`: finalizers hold it. `absent`: it was gone, or belonged to another owner by then. */
export interface PrunedObject extends ObjectRef {
  readonly result: "deleted" | "deleting" | "absent" | "failed";
  readonly error?: unknown;
}

/** The result of {@link ManagedObjects.sync}. */
export interface SyncResult {
  /** The outcome of every desired object. */
  readonly outcomes: ReadonlyMap<DesiredObject, ObjectOutcome>;
  readonly pruned: readonly PrunedObject[];
  /** The first tier that is not ready, so that the tiers after it were not applied; undefined when all were. */
  readonly waitingFor: string | undefined;
  /** Everything that failed. */
  readonly failures: readonly ObjectFailure[];
  /** Throws a `ManagedObjectsError` with every failure, if there is one. */
  throwIfFailed(): void;
}

/** Where to look for the objects of an owner. */
export interface OwnedQuery {
  /** Only in this namespace. Default: wherever the definition of the kind says. */
  readonly namespace?: string | undefined;
  /** Objects of kinds that are not cached, by name: these kinds are never listed. */
  readonly named?: readonly ObjectRef[] | undefined;
}

/** The managed objects of the primary object: the reconciler says what should exist, and this makes it true. */
export interface ManagedObjects {
  /**
   * Makes the managed objects of the primary object what the tiers say: creates, updates, corrects drift, replaces, and prunes what
   * is not among them. An unchanged set makes no request.
   *
   * A failing object does not stop the others; it is in the result. Rejects when the reconcile is aborted, when the inventory of kinds could
   * not be written, and with an `ArgumentError` for a set that contradicts the definition of the controller.
   */
  sync(tiers: readonly Tier[], options?: SyncOptions): Promise<SyncResult>;
  /** Returns what `sync` would do, without writing anything. */
  plan(tiers: readonly Tier[], options?: PruneOptions): Promise<readonly PlannedAction[]>;
  /** Reports whether an object belongs to the primary object, by its controller reference or its mark. */
  owns(object: DeepReadonly<KubeObject>): boolean;
  /** Lists the objects that belong to the primary object, as the API server has them, kinds in reverse order of the declaration. */
  list(query?: OwnedQuery): AsyncIterable<OwnedObject>;
  /** Deletes all of them. Returns those that still exist because finalizers hold them; call it again until there are none. */
  deleteAll(query?: OwnedQuery): Promise<readonly OwnedObject[]>;
  /** Removes the controller reference from all of them, so that they outlive the primary object. */
  releaseAll(query?: OwnedQuery): Promise<void>;
}
