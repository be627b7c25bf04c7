import { ArgumentError, type KubeObject, type ObjectKey, type ResourceType, type Stored } from "@homeostat/core";
import type { PartialObject } from "../cache/cache.ts";
import type { PredicateEvent } from "./predicate.ts";
import type { FieldPath } from "../cache/projection.ts";
import type { SelectionOptions } from "../cache/selection.ts";
import { type ManagedOptions, type ManagedRules, managedRules } from "./managed-rules.ts";
import type { CacheReader } from "./cache-reader.ts";

/** Namespace, selectors and predicate for the objects of a kind that a controller owns or watches. */
export interface FollowOptions<T extends KubeObject> extends SelectionOptions {
  /** Predicate; returns true if the event triggers a reconcile. Default: every event except those caused by the reconciler's own writes. */
  when?(this: void, event: PredicateEvent<Stored<T>>): boolean;
}

/**
 * Way in which a controller writes an owned kind: `"applied"` keeps single objects in their desired state by server-side apply, `"created"` creates
 * them once and never changes them, `"managed"` keeps the whole set of objects in the desired state.
 */
export type OwnedMode = "applied" | "created" | "managed";

/** Options of {@link applied} and {@link created}. */
export interface OwnedOptions<T extends KubeObject, D extends boolean = boolean> extends FollowOptions<T> {
  /** True if the controller deletes objects of the kind. Adds `delete` and `prune` to the handle, and `delete` to the RBAC rules. */
  readonly deletes?: D;
  /**
   * True if `lastOf` returns the last state of deleted objects. The newest thousand are kept in memory, in standby processes too. For objects
   * that another controller deletes as soon as their outcome is known, such as Jobs with a TTL. Default: false.
   */
  readonly remembersDeleted?: boolean;
}

/** The part of each object that the cache keeps. */
export interface CachedShape {
  /** True to cache only `metadata`, and to request only that from the API server (`PartialObjectMetadata`). */
  readonly metadataOnly?: boolean | undefined;
  /** Fields to cache, in addition to those that identify the object and its owners. */
  readonly project?: readonly FieldPath[] | undefined;
  /** Transforms each object before it is cached. Name, namespace, UID and resourceVersion are always kept. */
  transform?(this: void, object: KubeObject): KubeObject;
}

/**
 * A kind owned by the reconciled object. Made by {@link applied} and {@link created}.
 *
 * `T` is the type of the objects as they are written, `R` the type of the cached objects.
 */
export interface OwnedKind<
  T extends KubeObject = KubeObject,
  M extends OwnedMode = OwnedMode,
  D extends boolean = boolean,
  R extends KubeObject = T,
> {
  readonly type: ResourceType<T>;
  readonly mode: M;
  readonly deletes: D;
  readonly remembersDeleted?: boolean;
  readonly select: SelectionOptions;
  readonly shape?: Omit<CachedShape, "transform">;
  when?(this: void, event: PredicateEvent<Stored<KubeObject>>): boolean;
  /** Type of the cached objects, for the compiler only; never set. */
  readonly "~cached"?: R;
}

/** An owned kind whose objects are written and pruned as one set. Made by {@link managed}. */
export interface ManagedKind<T extends KubeObject = KubeObject> extends OwnedKind<T, "managed"> {
  readonly rules: ManagedRules;
  pruneOrder?(this: void, left: Stored<KubeObject>, right: Stored<KubeObject>): number;
}

/** The owned kinds of a controller, by the names that its reconciler uses. */
export interface OwnedKinds {
  readonly [name: string]: OwnedKind;
}

/**
 * Declares an owned kind whose objects are kept in their desired state by server-side apply, and of which only some fields are cached.
 *
 * Every applied field must be cached: drift of other fields would go unnoticed, so `apply` throws an `ArgumentError` that names them.
 */
export function applied<T extends KubeObject, const D extends boolean = false>(
  type: ResourceType<T>,
  options: OwnedOptions<PartialObject<T>, D> & { readonly project: readonly FieldPath[] },
): OwnedKind<T, "applied", D, PartialObject<T>>;
/**
 * Declares an owned kind whose objects are kept in their desired state by server-side apply.
 *
 * @example
 * owns: { web: applied(Deployment) }
 */
export function applied<T extends KubeObject, const D extends boolean = false>(
  type: ResourceType<T>,
  options?: OwnedOptions<T, D>,
): OwnedKind<T, "applied", D>;
export function applied(type: ResourceType, options: OwnedOptions<KubeObject> & CachedShape = {}): OwnedKind {
  return owned(type, "applied", options);
}

/** Declares an owned kind whose objects are created once, and of which only `metadata` is cached. */
export function created<T extends KubeObject, const D extends boolean = false>(
  type: ResourceType<T>,
  options: OwnedOptions<KubeObject, D> & { readonly metadataOnly: true },
): OwnedKind<T, "created", D, KubeObject>;
/** Declares an owned kind whose objects are created once, and of which only some fields are cached. */
export function created<T extends KubeObject, const D extends boolean = false>(
  type: ResourceType<T>,
  options: OwnedOptions<PartialObject<T>, D> & { readonly project: readonly FieldPath[] },
): OwnedKind<T, "created", D, PartialObject<T>>;
/**
 * Declares an owned kind whose objects are created once and never changed.
 *
 * @example
 * owns: { run: created(Job, { deletes: true }) }
 */
export function created<T extends KubeObject, const D extends boolean = false>(
  type: ResourceType<T>,
  options?: OwnedOptions<T, D>,
): OwnedKind<T, "created", D>;
export function created(type: ResourceType, options: OwnedOptions<KubeObject> & CachedShape = {}): OwnedKind {
  return owned(type, "created", options);
}

/**
 * Declares an owned kind whose objects are managed as a set: the reconciler passes all desired objects to `managed.sync`.
 *
 * @example
 * owns: { services: managed(Service), secrets: managed(Secret, { cached: false }) }
 */
export function managed<T extends KubeObject>(type: ResourceType<T>, options?: ManagedOptions<T>): ManagedKind<T>;
// The implementation drops the kind from the types of `when` and `pruneOrder`: the controller passes them objects of this kind only.
export function managed(type: ResourceType, options: ManagedOptions<KubeObject> = {}): ManagedKind {
  const { when, pruneOrder, project, namespace, labels, fields } = options;
  const rules = managedRules(options);
  return {
    type,
    mode: "managed",
    deletes: rules.deletes,
    select: { namespace, labels, fields },
    shape: { project },
    rules,
    ...(when === undefined ? {} : { when }),
    ...(pruneOrder === undefined ? {} : { pruneOrder }),
  };
}

/** Reports whether an owned kind is managed as a set. */
export function isManaged(kind: OwnedKind): kind is ManagedKind {
  return kind.mode === "managed" && "rules" in kind;
}

function owned(type: ResourceType, mode: OwnedMode, options: OwnedOptions<KubeObject> & CachedShape): OwnedKind {
  const { when, deletes = false, remembersDeleted = false, metadataOnly, project, transform, ...select } = options;
  if (transform !== undefined || (mode === "applied" && metadataOnly === true)) {
    const what = transform === undefined ? "metadataOnly" : "transform";
    const problem = `does not support ${what}, because ownership and drift could not be detected; use project instead.`;
    throw new ArgumentError({ argument: `${mode}(${type.kind})`, problem });
  }
  const shape = { metadataOnly, project };
  return { type, mode, deletes, remembersDeleted, select, shape, ...(when === undefined ? {} : { when }) };
}

/** Functions that return the index values of an object, by index name. */
export type IndexFunctions<T, I extends string = string> = {
  readonly [N in I]: (object: Stored<T>) => string | readonly string[] | undefined;
};

/** Keys of objects to reconcile: `"namespace/name"`, `"name"`, or an {@link ObjectKey}. */
export type Keys = Iterable<string | ObjectKey>;

/** Options of {@link watched}. */
export interface WatchedOptions<T extends KubeObject, I extends string = never> extends FollowOptions<T> {
  /**
   * Returns the keys of the primary objects to reconcile when an object of this kind changes. Called for the state before and after an
   * update. Default: changes trigger no reconcile; the kind can only be read.
   */
  map?(this: void, object: Stored<T>, cache: CacheReader): Keys;
  /** Cache indexes of the kind, by index name. */
  readonly indexes?: IndexFunctions<T, I>;
}

/** A kind that a controller watches without owning its objects. Made by {@link watched}. */
export interface WatchedKind<T extends KubeObject = KubeObject, I extends string = string> {
  readonly type: ResourceType;
  readonly select: SelectionOptions;
  readonly shape: CachedShape;
  readonly indexes: IndexFunctions<KubeObject>;
  when?(this: void, event: PredicateEvent<Stored<KubeObject>>): boolean;
  map?(this: void, object: Stored<KubeObject>, cache: CacheReader): Keys;
  /** Types of the cached objects and names of the indexes, for the compiler only; never set. */
  readonly "~types"?: { readonly object: T; readonly index: I };
}

/** The watched kinds of a controller, by the names that its reconciler uses. */
export interface WatchedKinds {
  readonly [name: string]: WatchedKind;
}

/** Declares a watched kind of which only `metadata` is cached. */
export function watched<T extends KubeObject, const I extends string = never>(
  type: ResourceType<T>,
  options: WatchedOptions<KubeObject, I> & { readonly metadataOnly: true },
): WatchedKind<KubeObject, I>;
/** Declares a watched kind of which only some fields are cached. */
export function watched<T extends KubeObject, const I extends string = never>(
  type: ResourceType<T>,
  options: WatchedOptions<PartialObject<T>, I> & { readonly project: readonly FieldPath[] },
): WatchedKind<PartialObject<T>, I>;
/** Declares a watched kind whose objects are transformed before they are cached. */
export function watched<T extends KubeObject, U extends KubeObject, const I extends string = never>(
  type: ResourceType<T>,
  options: WatchedOptions<U, I> & { readonly transform: (object: T) => U },
): WatchedKind<U, I>;
/**
 * Declares a kind that the reconciler reads without owning its objects. With `map`, changes of its objects trigger reconciles.
 *
 * @example
 * watches: { secrets: watched(Secret, { labels: "load/role=config", map: (secret, cache) => usersOf(secret, cache) }) }
 */
export function watched<T extends KubeObject, const I extends string = never>(
  type: ResourceType<T>,
  options?: WatchedOptions<T, I>,
): WatchedKind<T, I>;
export function watched(
  type: ResourceType,
  options: WatchedOptions<KubeObject, string> & CachedShape = {},
): WatchedKind {
  const { when, map, indexes = {}, metadataOnly, project, transform, ...select } = options;
  return {
    type,
    select,
    shape: { metadataOnly, project, ...(transform === undefined ? {} : { transform }) },
    indexes,
    ...(when === undefined ? {} : { when }),
    ...(map === undefined ? {} : { map }),
  };
}
