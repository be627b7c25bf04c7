import { ArgumentError, type KubeObject, type ObjectKey, type ResourceType, type Stored } from "@homeostat/core";
import type { PartialObject } from "../cache/cache.ts";
import type { SeenEvent } from "./predicate.ts";
import type { FieldPath } from "../cache/projection.ts";
import type { SelectionOptions } from "../cache/selection.ts";
import { type ManagedOptions, type ManagedRules, managedRules } from "../managed/kind.ts";
import type { CacheReader } from "./context.ts";

/** Which objects of a kind a controller follows. */
export interface FollowOptions<T extends KubeObject> extends SelectionOptions {
  /** Whether an event is worth a reconcile. Default: all are but the echoes of the reconciler's own writes. */
  when?(this: void, event: SeenEvent<Stored<T>>): boolean;
}

/** How objects of a kind are owned: kept as described one by one, made once, or kept as described as a set. */
export type OwnedMode = "applied" | "created" | "managed";

/** Options of {@link applied} and {@link created}. */
export interface OwnedOptions<T extends KubeObject, D extends boolean = boolean> extends FollowOptions<T> {
  /** Whether the controller deletes objects of the kind. It needs the right to; its handle then has `delete` and `prune`. */
  readonly deletes?: D;
  /**
   * Whether `lastOf` tells how objects were before they were deleted, in every process of the program; of the last thousand.
   * For those that somebody clears away as soon as they have told their outcome, such as Jobs. Default: false.
   */
  readonly remembersDeleted?: boolean;
}

/** How much of each object the cache keeps. */
export interface CachedShape {
  /** Keep only `metadata`, and ask the API server for nothing else. */
  readonly metadataOnly?: boolean | undefined;
  /** Keep only these fields, and those that identify the object and its owners. */
  readonly project?: readonly FieldPath[] | undefined;
  /** Change each object before it is kept. Name, namespace, uid and resourceVersion stay what they are. */
  transform?(this: void, object: KubeObject): KubeObject;
}

/**
 * A kind owned by the reconciled object. Made by {@link applied} and {@link created}.
 *
 * `T` is the kind as it is written, `R` what the cache keeps of it.
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
  when?(this: void, event: SeenEvent<Stored<KubeObject>>): boolean;
  /** What the cache keeps: only for the compiler. */
  readonly "~cached"?: R;
}

/** A kind of which a controller manages the whole set of objects. Made by {@link managed}. */
export interface ManagedKind<T extends KubeObject = KubeObject> extends OwnedKind<T, "managed"> {
  readonly rules: ManagedRules;
  pruneOrder?(this: void, left: Stored<KubeObject>, right: Stored<KubeObject>): number;
}

/** The owned kinds of a controller, by the names its reconciler has for them. */
export interface OwnedKinds {
  readonly [name: string]: OwnedKind;
}

/**
 * Objects that are kept as the reconciler describes them, of which the cache keeps only some fields.
 *
 * Every field that is applied must be among them: otherwise a change by another client could not be seen, and `apply` throws an
 * `ArgumentError` that names the fields.
 */
export function applied<T extends KubeObject, const D extends boolean = false>(
  type: ResourceType<T>,
  options: OwnedOptions<PartialObject<T>, D> & { readonly project: readonly FieldPath[] },
): OwnedKind<T, "applied", D, PartialObject<T>>;
/**
 * Objects that are kept as the reconciler describes them, by server-side apply.
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

/** Objects that are created once, of which the cache keeps only `metadata`. */
export function created<T extends KubeObject, const D extends boolean = false>(
  type: ResourceType<T>,
  options: OwnedOptions<KubeObject, D> & { readonly metadataOnly: true },
): OwnedKind<T, "created", D, KubeObject>;
/** Objects that are created once, of which the cache keeps only some fields. */
export function created<T extends KubeObject, const D extends boolean = false>(
  type: ResourceType<T>,
  options: OwnedOptions<PartialObject<T>, D> & { readonly project: readonly FieldPath[] },
): OwnedKind<T, "created", D, PartialObject<T>>;
/**
 * Objects that are created once and then left as they are.
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
 * Objects that are managed as a set: the reconciler hands over everything that should exist to `managed.sync`.
 *
 * @example
 * owns: { services: managed(Service), secrets: managed(Secret, { cached: false }) }
 */
export function managed<T extends KubeObject>(type: ResourceType<T>, options?: ManagedOptions<T>): ManagedKind<T>;
/** That `when` and `pruneOrder` are given objects of the kind only is for the controller to keep to. */
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
    const problem = `cannot have ${what}: ownership and drift could not be seen any more. Use project.`;
    throw new ArgumentError({ argument: `${mode}(${type.kind})`, problem });
  }
  const shape = { metadataOnly, project };
  return { type, mode, deletes, remembersDeleted, select, shape, ...(when === undefined ? {} : { when }) };
}

/** Under which values objects are to be found, by the name of the index. */
export type IndexFunctions<T, I extends string = string> = {
  readonly [N in I]: (object: Stored<T>) => string | readonly string[] | undefined;
};

/** Which objects an event makes worth looking at: `"namespace/name"`, `"name"`, or the two names. */
export type Keys = Iterable<string | ObjectKey>;

/** Options of {@link watched}. */
export interface WatchedOptions<T extends KubeObject, I extends string = never> extends FollowOptions<T> {
  /** Which objects of the controller's own kind an object of this one matters to. Default: none; it is only there to be read. */
  map?(this: void, object: Stored<T>, cache: CacheReader): Keys;
  /** By which values the reconciler looks objects up. */
  readonly indexes?: IndexFunctions<T, I>;
}

/** A kind that a controller reads and follows, and does not own. Made by {@link watched}. */
export interface WatchedKind<T extends KubeObject = KubeObject, I extends string = string> {
  readonly type: ResourceType;
  readonly select: SelectionOptions;
  readonly shape: CachedShape;
  readonly indexes: IndexFunctions<KubeObject>;
  when?(this: void, event: SeenEvent<Stored<KubeObject>>): boolean;
  map?(this: void, object: Stored<KubeObject>, cache: CacheReader): Keys;
  /** What the objects are and how the indexes are called: only for the compiler. */
  readonly "~types"?: { readonly object: T; readonly index: I };
}

/** The watched kinds of a controller, by the names its reconciler has for them. */
export interface WatchedKinds {
  readonly [name: string]: WatchedKind;
}

/** Objects of which only `metadata` is kept. */
export function watched<T extends KubeObject, const I extends string = never>(
  type: ResourceType<T>,
  options: WatchedOptions<KubeObject, I> & { readonly metadataOnly: true },
): WatchedKind<KubeObject, I>;
/** Objects of which only some fields are kept. */
export function watched<T extends KubeObject, const I extends string = never>(
  type: ResourceType<T>,
  options: WatchedOptions<PartialObject<T>, I> & { readonly project: readonly FieldPath[] },
): WatchedKind<PartialObject<T>, I>;
/** Objects of which the cache keeps what `transform` makes of them. */
export function watched<T extends KubeObject, U extends KubeObject, const I extends string = never>(
  type: ResourceType<T>,
  options: WatchedOptions<U, I> & { readonly transform: (object: T) => U },
): WatchedKind<U, I>;
/**
 * Objects that the reconciler reads without owning them. With `map`, their changes lead to reconciles.
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
