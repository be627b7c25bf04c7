import type { Stored, KubeObject, ObjectKey, ResourceType } from "@homeostat/core";
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

/** A kind of which the objects of a controller own some. Made by {@link applied} and {@link created}. */
export interface OwnedKind<
  T extends KubeObject = KubeObject,
  M extends OwnedMode = OwnedMode,
  D extends boolean = boolean,
> {
  readonly type: ResourceType<T>;
  readonly mode: M;
  readonly deletes: D;
  readonly remembersDeleted?: boolean;
  readonly select: SelectionOptions;
  when?(this: void, event: SeenEvent<Stored<KubeObject>>): boolean;
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
 * Objects that are kept as the reconciler describes them, by server-side apply.
 *
 * @example
 * owns: { web: applied(Deployment) }
 */
export function applied<T extends KubeObject, const D extends boolean = false>(
  type: ResourceType<T>,
  options: OwnedOptions<T, D> = {},
): OwnedKind<T, "applied", D> {
  return owned(type, "applied", options);
}

/**
 * Objects that are made once and then left as they are.
 *
 * @example
 * owns: { run: created(Job, { deletes: true }) }
 */
export function created<T extends KubeObject, const D extends boolean = false>(
  type: ResourceType<T>,
  options: OwnedOptions<T, D> = {},
): OwnedKind<T, "created", D> {
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
  const { when, pruneOrder, namespace, labels, fields } = options;
  const rules = managedRules(options);
  return {
    type,
    mode: "managed",
    deletes: rules.deletes,
    select: { namespace, labels, fields },
    rules,
    ...(when === undefined ? {} : { when }),
    ...(pruneOrder === undefined ? {} : { pruneOrder }),
  };
}

/** Reports whether an owned kind is managed as a set. */
export function isManaged(kind: OwnedKind): kind is ManagedKind {
  return kind.mode === "managed" && "rules" in kind;
}

/**
 * Without `deletes`, `D` is `false`, which the compiler cannot see; and that `when` is given objects of the kind only is for
 * the controller to keep to.
 */
function owned<T extends KubeObject, M extends Exclude<OwnedMode, "managed">, D extends boolean>(
  type: ResourceType<T>,
  mode: M,
  options: OwnedOptions<T, D>,
): OwnedKind<T, M, D>;
function owned(type: ResourceType, mode: OwnedMode, options: OwnedOptions<KubeObject>): OwnedKind {
  const { when, deletes = false, remembersDeleted = false, ...select } = options;
  return { type, mode, deletes, remembersDeleted, select, ...(when === undefined ? {} : { when }) };
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
  readonly shape: {
    readonly metadataOnly?: boolean | undefined;
    readonly project?: readonly FieldPath[] | undefined;
  };
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
  options: WatchedOptions<KubeObject, string> & WatchedKind["shape"] = {},
): WatchedKind {
  const { when, map, indexes = {}, metadataOnly, project, ...select } = options;
  return {
    type,
    select,
    shape: { metadataOnly, project },
    indexes,
    ...(when === undefined ? {} : { when }),
    ...(map === undefined ? {} : { map }),
  };
}
