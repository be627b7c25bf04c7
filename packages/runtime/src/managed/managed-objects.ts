import type { DeepReadonly, KubeObject } from "@homeostat/core";
import type { DesiredObject, ObjectOutcome, ObjectRef, PlannedAction, Tier } from "./desired.ts";
import type { ObjectFailure } from "./errors.ts";
import type { OwnedObject } from "./prune.ts";

/** Exceptions from pruning. */
export interface PruneOptions {
  /** Objects that are not desired but must not be pruned either. */
  readonly keep?: readonly ObjectRef[] | undefined;
  /** Objects of kinds that are not cached, as read by this reconcile, that are to be deleted. */
  readonly remove?: readonly OwnedObject[] | undefined;
}

/** Options of {@link ManagedObjects.sync}. */
export interface SyncOptions extends PruneOptions {
  /**
   * True if an earlier reconcile of the same generation has completed the set. A missing object was then deleted by another client and counts as
   * drift. A function decides for each desired object, for sets in which some objects come and go without a new generation. Default: false.
   */
  readonly wasComplete?: boolean | ((object: DesiredObject) => boolean) | undefined;
  /**
   * Identifies everything that the desired objects depend on, except the primary object: settings, decisions, contents of other objects. If the inputs, the
   * primary object and all live objects are those of an earlier sync that found nothing to do, the desired objects are neither built nor compared. A change
   * that is missing in the inputs is not applied until something else changes. Default: undefined, every sync compares all objects.
   */
  readonly inputs?: string | undefined;
  /** Handling of fields that another field manager has set to a different value. Default: `"force"`. */
  readonly conflicts?: ConflictPolicy | undefined;
  /**
   * Interval in milliseconds in which every object is applied once although no difference was found, to revert changes that the comparison
   * cannot see. The objects of all owners are spread over the interval. Such an apply usually changes nothing. Default: 0, never.
   */
  readonly reapplyMs?: number | undefined;
}

/**
 * Handling of fields that another field manager has set to a different value.
 *
 * `"force"` takes them with one request. The result reports drift, but not from whom a field was taken whose desired value has changed. `"take"` applies without
 * force first, so that the API server names the fields and managers, and then with force; the outcome contains them in `taken`. `"fail"` changes nothing: the outcome is `failed`
 * with an `ApplyConflictError`.
 */
export type ConflictPolicy = "force" | "take" | "fail";

/**
 * An object that is not desired any more. `deleting`: its finalizers have not been removed yet. `absent`: it was already deleted, or has another owner
 * by now.
 */
export interface PrunedObject extends ObjectRef {
  readonly result: "deleted" | "deleting" | "absent" | "failed";
  readonly error?: unknown;
}

/** The result of {@link ManagedObjects.sync}. */
export interface SyncResult {
  /** The outcome of every desired object. Empty if the set is settled. */
  readonly outcomes: ReadonlyMap<DesiredObject, ObjectOutcome>;
  /** The desired objects of a settled set, which an earlier sync with the same inputs found unchanged; see `SyncOptions.inputs`. Empty for other sets. */
  readonly settled: readonly ObjectRef[];
  readonly pruned: readonly PrunedObject[];
  /** Name of the first tier that is not ready, which blocks the tiers after it; undefined when all tiers were applied. */
  readonly waitingFor: string | undefined;
  /** Everything that failed. */
  readonly failures: readonly ObjectFailure[];
  /** Throws a `ManagedObjectsError` with every failure, if there is one. */
  throwIfFailed(): void;
}

/** Restriction of the objects that are listed. */
export interface OwnedQuery {
  /** Only objects in this namespace. Default: the namespace in the definition of the kind, or all. */
  readonly namespace?: string | undefined;
  /** Names of objects of kinds that are not cached, because these kinds are never listed. */
  readonly named?: readonly ObjectRef[] | undefined;
}

/** The managed objects of the primary object. The reconciler declares which objects should exist; `sync` creates, updates and prunes them. */
export interface ManagedObjects {
  /**
   * Brings the managed objects of the primary object into the desired state: creates and updates objects, corrects drift, replaces objects with
   * changed immutable fields, and prunes objects that are not desired. Sends no requests if nothing changes. A function instead of tiers is called only if
   * the set is not settled; see `SyncOptions.inputs`.
   *
   * A failing object does not stop the others; the result contains its error. Rejects when the reconcile is aborted, when the inventory of kinds
   * cannot be written, and with an `ArgumentError` for a set that contradicts the definition of the controller.
   */
  sync(tiers: readonly Tier[] | (() => readonly Tier[]), options?: SyncOptions): Promise<SyncResult>;
  /** Returns the actions that `sync` would perform, without writing anything. */
  plan(tiers: readonly Tier[], options?: PruneOptions): Promise<readonly PlannedAction[]>;
  /** Reports whether an object belongs to the primary object, by its controller reference or its mark. */
  owns(object: DeepReadonly<KubeObject>): boolean;
  /** Lists the live objects that the primary object owns, with kinds in reverse order of their declaration. */
  list(query?: OwnedQuery): AsyncIterable<OwnedObject>;
  /** Deletes all owned objects. Returns those that still exist because of finalizers; call it again until there are none. */
  deleteAll(query?: OwnedQuery): Promise<readonly OwnedObject[]>;
  /** Removes the controller reference from all owned objects, so that they are kept when the primary object is deleted. */
  releaseAll(query?: OwnedQuery): Promise<void>;
}
