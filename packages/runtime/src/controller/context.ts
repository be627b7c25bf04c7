import type { ObjectToApply, Propagation } from "@homeostat/client";
import type { Clock, DeepReadonly, Stored, KubeObject, ObjectKey, ResourceType } from "@homeostat/core";
import type { Informer, ListQuery } from "../cache/informer.ts";
import type { Logger } from "../log/logger.ts";
import type { ManagedObjects } from "../managed/managed-objects.ts";
import type { Span } from "../tracing/tracing.ts";
import type { RecordedClient } from "../writes/recorded-client.ts";
import type { OwnedKind, OwnedKinds, WatchedKind, WatchedKinds } from "./kinds.ts";

/** Reads the informers of a controller by kind. For code that is shared by reconcilers, which may use different names for their kinds. */
export interface CacheReader {
  /** Returns the cached object, frozen. Throws an `ArgumentError` when the controller neither owns nor watches the kind. */
  get<T extends KubeObject>(type: ResourceType<T>, key: string | ObjectKey): Stored<T> | undefined;
  list<T extends KubeObject>(type: ResourceType<T>, query?: ListQuery): readonly Stored<T>[];
  /** Returns the objects that an index of the kind has for a value. Throws an `ArgumentError` when the kind has no such index. */
  by<T extends KubeObject>(type: ResourceType<T>, index: string, value: string): readonly Stored<T>[];
}

/** The type of the `status` of a kind; `never` for a kind without one. */
export type StatusOf<T> = T extends { status?: infer S } ? NonNullable<S> : never;

/** The condition types that a kind declares; any string where it declares none. */
export type ConditionTypeOf<T> =
  StatusOf<T> extends { conditions?: infer C }
    ? NonNullable<C> extends readonly { type: infer N extends string }[]
      ? N
      : string
    : string;

/**
 * Status fields to set; `undefined` removes a field, and fields that are not named stay unchanged.
 *
 * `conditions` is listed with the type `never`, because conditions are set by `setCondition`. Without it, a kind whose status has only
 * conditions would get a type without properties, to which the compiler lets any object be assigned.
 */
export type StatusChange<T> = {
  readonly [K in keyof StatusOf<T> | "conditions"]?: K extends Exclude<keyof StatusOf<T>, "conditions">
    ? DeepReadonly<StatusOf<T>[K]> | undefined
    : never;
};

/** The reasons that a kind declares for conditions of type `C`; any string where it declares none. */
export type ConditionReasonOf<T, C extends ConditionTypeOf<T> = ConditionTypeOf<T>> =
  StatusOf<T> extends { conditions?: infer L }
    ? NonNullable<L> extends readonly (infer Member)[]
      ? ReasonIn<Member, C>
      : string
    : string;

/** The reasons of those members of a union of conditions that have the type `C`. */
type ReasonIn<Member, C> = Member extends { type: infer N }
  ? [C & N] extends [never]
    ? never
    : Member extends { reason?: infer R }
      ? NonNullable<R> extends string
        ? NonNullable<R>
        : string
      : string
  : never;

/** The desired value of a condition. `true` is `"True"`; the message may be left out. */
export interface ConditionValue<R extends string = string> {
  readonly status: boolean | "True" | "False" | "Unknown";
  /** Machine-readable reason in CamelCase: `RolloutComplete`. */
  readonly reason: R;
  readonly message?: string;
}

/** Conditions to set, by type; `undefined` removes a condition, and types that are not named stay as they are. */
export type ConditionChanges<T> = {
  readonly [C in ConditionTypeOf<T>]?: ConditionValue<ConditionReasonOf<T, C>> | undefined;
};

/** The changes to a status that a reconcile decided on: fields and conditions together. */
export interface StatusPlan<T> {
  readonly fields: StatusChange<T>;
  readonly conditions: ConditionChanges<T>;
}

/** Options of `saveStatus`. */
export interface SaveStatusOptions {
  /** Purpose of the write, such as `record the start time`. A failure is then logged as `Failed to record the start time`. */
  readonly purpose?: string;
}

/** An event to record about the object. */
export interface EventNote {
  /** Default: `Normal`. */
  readonly type?: "Normal" | "Warning";
  /** Machine-readable reason in CamelCase: `JobCreated`. */
  readonly reason: string;
  readonly note: string;
  /** Machine-readable action in CamelCase. Default: `Reconcile`. */
  readonly action?: string;
  /** A second object that the event concerns. */
  readonly related?: DeepReadonly<KubeObject>;
  /**
   * Drops repeated events about the object: with `"generation"`, one with the same reason and note for the same generation; with a number,
   * any with the same reason within so many milliseconds. The recorded events are remembered in memory only, so a restart may repeat one.
   * Default: all are recorded.
   */
  readonly once?: "generation" | number;
}

/** Reads the objects of a kind that are owned by the primary object. */
export interface OwnedReader<T extends KubeObject> {
  /** Returns the cached object with a name, frozen; undefined unless the primary object owns it. A bare name means the primary's namespace. */
  get(name: string | ObjectKey): Stored<T> | undefined;
  /** Returns the objects that the primary object owns, from the cache. */
  list(query?: ListQuery): readonly Stored<T>[];
  /**
   * Returns the last observed state of a deleted object, frozen; undefined unless the primary object owned it. Always undefined without
   * `remembersDeleted`, and for objects that were deleted while this process was not running.
   */
  lastOf(name: string | ObjectKey): Stored<T> | undefined;
}

/** Options of `apply`. */
export interface ApplyOwnedOptions {
  /**
   * Handling of fields that another field manager has set to a different value: `"take"` forces ownership and reports the other
   * manager in a log line and an event; `"fail"` throws an `ApplyConflictError`. Default: `"take"`.
   */
  readonly conflicts?: "take" | "fail";
}

/** Creates and updates the objects of an `applied` kind; `R` is the type of the cached objects. */
export interface AppliedHandle<T extends KubeObject, R extends KubeObject = T> extends OwnedReader<R> {
  /**
   * Applies the object by server-side apply, with the primary object as its controller owner.
   *
   * No request is sent when the cached object already has all desired values. Throws a `NotOwnedError` and changes nothing when an object
   * of that name exists and has another owner.
   */
  apply(object: ObjectToApply<T>, options?: ApplyOwnedOptions): Promise<Stored<R>>;
}

/** Result of `create`. */
export interface CreatedObject<T> {
  readonly object: Stored<T>;
  /** True if this call created the object; false if it existed. */
  readonly isNew: boolean;
}

/**
 * An object to create. A name is required: with `generateName`, a retry after a lost response would create a second object; with a fixed
 * name, the API server rejects the second request.
 */
export type ObjectToCreate<T extends KubeObject> = DeepReadonly<Omit<T, "apiVersion" | "kind" | "metadata">> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: DeepReadonly<T["metadata"]> & { readonly name: string };
};

/** Creates the objects of a `created` kind; `R` is the type of the cached objects. */
export interface CreatedHandle<T extends KubeObject, R extends KubeObject = T> extends OwnedReader<R> {
  /**
   * Creates the object unless it exists. Throws a `NotOwnedError` when the existing object is not owned by the primary object, compared by UID.
   */
  create(object: ObjectToCreate<T>): Promise<CreatedObject<R>>;
}

/** Deletes objects of an owned kind. */
export interface DeletingHandle {
  /** Deletes the object if the primary object owns it, compared by UID. Returns false when there was none. */
  delete(name: string | ObjectKey, options?: { readonly propagation?: Propagation }): Promise<boolean>;
  /**
   * Deletes the owned objects of the kind that were neither applied nor created in this reconcile and are not named in `keep`. Returns the
   * keys of the deleted objects.
   */
  prune(options?: { readonly keep?: Iterable<string>; readonly propagation?: Propagation }): Promise<readonly string[]>;
}

/** The operations of a reconciler on an owned kind, depending on how the kind is declared. */
export type OwnedHandle<K> =
  K extends OwnedKind<infer T, infer M, infer D, infer R>
    ? M extends "managed"
      ? OwnedReader<R>
      : ("applied" extends M ? AppliedHandle<T, R> : CreatedHandle<T, R>) & (D extends true ? DeletingHandle : unknown)
    : never;

/** The informer of a watched kind. */
export type WatchedHandle<K> = K extends WatchedKind<infer T, infer I> ? Informer<T, I> : never;

/** The argument of a reconciler: the primary object, readers of the cache, and the operations that the definition permits. */
export interface ReconcileContext<
  T extends KubeObject = KubeObject,
  O extends OwnedKinds = OwnedKinds,
  W extends WatchedKinds = WatchedKinds,
  I extends string = string,
> {
  /** The primary object, frozen. At least as new as every write of this process, even if the watch has not delivered that write yet. */
  readonly object: Stored<T>;
  /** Name of the primary object. */
  readonly name: string;
  /** Namespace of the primary object; empty for a cluster-scoped kind. */
  readonly namespace: string;
  /** `namespace/name`, or the name alone for a cluster-scoped kind. */
  readonly key: string;
  /** Handles of the owned kinds, restricted to the objects that the primary object owns. */
  readonly owned: { readonly [N in keyof O]: OwnedHandle<O[N]> };
  /** The objects of all `managed` kinds, written and pruned as one set. */
  readonly managed: ManagedObjects;
  /** Informers of the watched kinds. */
  readonly watched: { readonly [N in keyof W]: WatchedHandle<W[N]> };
  /** Informer of all primary objects of the controller. */
  readonly all: Informer<T, I>;
  /** Reads every kind that the controller owns or watches. */
  readonly cache: CacheReader;
  /** A client for all other requests. It bypasses the cache; objects it has written can be read from the cache at once. */
  readonly client: RecordedClient;
  /** Aborts when the reconcile exceeds its timeout, leadership is lost, or the program stops; the reason of the signal tells which. */
  readonly signal: AbortSignal;
  /** The events that triggered this reconcile. For logs, not for decisions: events are merged and may be lost over a restart. */
  readonly why: readonly string[];
  /** Number of failed reconciles of this object in a row before this one. */
  readonly failures: number;
  /** Error of the last failed reconcile; undefined when the last one succeeded. */
  readonly lastError: unknown;
  /** ID of this reconcile in logs, spans and the API server's audit log. */
  readonly id: string;
  readonly log: Logger;
  readonly span: Span;
  /** The local clock, for durations and timers. Its time of day may be wrong and may jump. */
  readonly clock: Clock;
  /**
   * The clock of the API server, estimated from its responses. Use it to compare with `creationTimestamp`, conditions and other times of
   * objects, and to write times into a status. docs/internals/time.md explains its precision.
   */
  readonly serverClock: Clock;

  /** Sets fields of the status. All status changes of a reconcile are written by one request at its end, and only if the content changes. */
  setStatus(
    this: void,
    change: StatusChange<T> | ((status: DeepReadonly<StatusOf<T>> | undefined) => StatusChange<T>),
  ): void;
  /** Sets a condition. `lastTransitionTime` and `observedGeneration` are maintained. Written with the status. */
  setCondition<C extends ConditionTypeOf<T>>(
    this: void,
    type: C,
    value: ConditionValue<ConditionReasonOf<T, NoInfer<C>>>,
  ): void;
  /** Removes a condition. Written with the status. */
  removeCondition(this: void, type: ConditionTypeOf<T>): void;
  /** Sets the fields and conditions of a plan. Written with the status, and only if that changes its content. */
  setStatusPlan(this: void, plan: StatusPlan<T>): void;
  /**
   * Adds a precondition to every status write of this reconcile: when `isExpected` returns false for the status to be changed, nothing is
   * written and the write throws the error returned by `otherwise`.
   *
   * The cached status is checked before a write, and the live status after a conflict; the write itself carries the resource version of
   * the status that was checked. A reconcile that started from an outdated cache can therefore not overwrite a status that another process
   * has written since.
   *
   * @example
   * requireStatus((status) => status?.phase === object.status?.phase, () => new OutdatedError(key));
   */
  requireStatus(
    this: void,
    isExpected: (status: DeepReadonly<StatusOf<T>> | undefined) => boolean,
    otherwise: () => Error,
  ): void;
  /** Writes the status changes made so far, without waiting for the end of the reconcile. `all.get(key)` then returns the written object. */
  saveStatus(this: void, options?: SaveStatusOptions): Promise<void>;
  /** Records an event about the object. */
  event(this: void, event: EventNote): void;
}

/** Result of a successful reconcile. */
export interface ReconcileResult {
  /** Milliseconds after which the object is reconciled again even without an event; undefined to wait for events only. */
  readonly requeueAfterMs?: number | undefined;
}
