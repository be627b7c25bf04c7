import type { ObjectToApply, Propagation } from "@homeostat/client";
import type { Clock, DeepReadonly, Stored, KubeObject, ObjectKey, ResourceType } from "@homeostat/core";
import type { Informer, ListQuery } from "../cache/informer.ts";
import type { Logger } from "../log/logger.ts";
import type { ManagedObjects } from "../managed/managed-objects.ts";
import type { Span } from "../tracing/tracing.ts";
import type { RecordedClient } from "../writes/recorded-client.ts";
import type { OwnedKind, OwnedKinds, WatchedKind, WatchedKinds } from "./kinds.ts";

/** Reads what a controller's informers have, whatever the reconciler calls them. */
export interface CacheReader {
  /** The object, frozen. Throws an `ArgumentError` when the controller does not follow the kind. */
  get<T extends KubeObject>(type: ResourceType<T>, key: string | ObjectKey): Stored<T> | undefined;
  list<T extends KubeObject>(type: ResourceType<T>, query?: ListQuery): readonly Stored<T>[];
  /** The objects that an index of the kind has under a value. */
  by<T extends KubeObject>(type: ResourceType<T>, index: string, value: string): readonly Stored<T>[];
}

/** The status of a kind. */
export type StatusOf<T> = T extends { status?: infer S } ? NonNullable<S> : never;

/** The types of condition that a kind has. */
export type ConditionTypeOf<T> =
  StatusOf<T> extends { conditions?: infer C }
    ? NonNullable<C> extends readonly { type: infer N extends string }[]
      ? N
      : string
    : string;

/**
 * Fields of a status to set; `undefined` takes a field away, and what is not named stays as it is.
 *
 * Conditions are set by `setCondition`, and nothing can be assigned to them here. They are listed all the same: a kind
 * with conditions only would else have a type without properties, to which the compiler lets anything be assigned.
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
  /** Why, in one word: `RolloutComplete`. */
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
  /** What the write is for, such as `record the start time`. The log line of a failure is then `Failed to record the start time`. */
  readonly purpose?: string;
}

/** An event to record about the object. */
export interface EventNote {
  /** Default: `Normal`. */
  readonly type?: "Normal" | "Warning";
  /** Why, in one word: `JobCreated`. */
  readonly reason: string;
  readonly note: string;
  /** What was done, in one word. Default: `Reconcile`. */
  readonly action?: string;
  /** Another object that has to do with it. */
  readonly related?: DeepReadonly<KubeObject>;
  /**
   * Drops repeated events about the object: with `"generation"`, one with the same reason and note for the same generation; with a number,
   * any with the same reason within so many milliseconds. What was recorded is remembered in memory. Default: all are recorded.
   */
  readonly once?: "generation" | number;
}

/** The objects of a kind that belong to the object at hand. */
export interface OwnedReader<T extends KubeObject> {
  /** The one with a name, in the namespace of the object at hand; frozen, and undefined unless it belongs to it. */
  get(name: string | ObjectKey): Stored<T> | undefined;
  list(query?: ListQuery): readonly Stored<T>[];
  /**
   * What was last known of one with a name that is gone; frozen, and undefined unless it belonged to the object at hand. Always
   * undefined without `remembersDeleted`, and when it went while the program was not there.
   */
  lastOf(name: string | ObjectKey): Stored<T> | undefined;
}

/** How to apply. */
export interface ApplyOwnedOptions {
  /**
   * What to do about a field that somebody else has set to something else: `"take"` it (the default) and report who had
   * it, or `"fail"` with an `ApplyConflictError`.
   */
  readonly conflicts?: "take" | "fail";
}

/** Makes and changes the objects of a kind that is `applied`; `R` is what the cache keeps of them. */
export interface AppliedHandle<T extends KubeObject, R extends KubeObject = T> extends OwnedReader<R> {
  /**
   * Makes the object as described: server-side apply with the object at hand as its owner.
   *
   * Nothing is sent when it would change nothing. An object of that name that belongs to somebody else is not touched:
   * `NotOwnedError`.
   */
  apply(object: ObjectToApply<T>, options?: ApplyOwnedOptions): Promise<Stored<R>>;
}

/** An object that was made, or was there already. */
export interface CreatedObject<T> {
  readonly object: Stored<T>;
  /** Whether it was made by this call. */
  readonly isNew: boolean;
}

/** An object to create: its name is chosen by the reconciler, so that it can never be made twice. */
export type ObjectToCreate<T extends KubeObject> = DeepReadonly<Omit<T, "apiVersion" | "kind" | "metadata">> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: DeepReadonly<T["metadata"]> & { readonly name: string };
};

/** Makes the objects of a kind that is `created`; `R` is what the cache keeps of them. */
export interface CreatedHandle<T extends KubeObject, R extends KubeObject = T> extends OwnedReader<R> {
  /**
   * Makes the object unless it is there. One that is there belongs to the object at hand, by uid: else `NotOwnedError`.
   */
  create(object: ObjectToCreate<T>): Promise<CreatedObject<R>>;
}

/** Deletes objects of an owned kind. */
export interface DeletingHandle {
  /** Deletes the object if it belongs to the object at hand, by uid. Returns whether it was there. */
  delete(name: string | ObjectKey, options?: { readonly propagation?: Propagation }): Promise<boolean>;
  /** Deletes those that belong to the object at hand and were neither applied, created nor named here in this run. */
  prune(options?: { readonly keep?: Iterable<string>; readonly propagation?: Propagation }): Promise<readonly string[]>;
}

/** What a reconciler can do with an owned kind. */
export type OwnedHandle<K> =
  K extends OwnedKind<infer T, infer M, infer D, infer R>
    ? M extends "managed"
      ? OwnedReader<R>
      : ("applied" extends M ? AppliedHandle<T, R> : CreatedHandle<T, R>) & (D extends true ? DeletingHandle : unknown)
    : never;

/** What a reconciler can read of a watched kind. */
export type WatchedHandle<K> = K extends WatchedKind<infer T, infer I> ? Informer<T, I> : never;

/** One run of a reconciler: the object, what it may read, and what it may do. */
export interface ReconcileContext<
  T extends KubeObject = KubeObject,
  O extends OwnedKinds = OwnedKinds,
  W extends WatchedKinds = WatchedKinds,
  I extends string = string,
> {
  /** The object, frozen, at least as new as anything this process has written. */
  readonly object: Stored<T>;
  /** Its name. */
  readonly name: string;
  /** Its namespace; empty for a kind that has none. */
  readonly namespace: string;
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  /** The objects of owned kinds that belong to this one. */
  readonly owned: { readonly [N in keyof O]: OwnedHandle<O[N]> };
  /** The objects of kinds that are `managed`, as a set. */
  readonly managed: ManagedObjects;
  /** The objects of watched kinds. */
  readonly watched: { readonly [N in keyof W]: WatchedHandle<W[N]> };
  /** All objects of the controller's own kind. */
  readonly all: Informer<T, I>;
  /** Reads any kind that the controller follows. */
  readonly cache: CacheReader;
  /** Anything else, straight to the API server. What it writes can be read from the cache at once. */
  readonly client: RecordedClient;
  /** Aborts when the run takes too long, leadership is lost, or the program stops; its reason says which. */
  readonly signal: AbortSignal;
  /** What led to this run: for logs, not for decisions. */
  readonly why: readonly string[];
  /** How many runs for this object have failed in a row before this one. */
  readonly failures: number;
  /** What the last of them failed with. */
  readonly lastError: unknown;
  /** Names this run in logs, spans and the API server's audit log. */
  readonly id: string;
  readonly log: Logger;
  readonly span: Span;
  /** The local clock: for measuring, waiting and timers. Its time of day may be wrong and may jump. */
  readonly clock: Clock;
  /**
   * The clock of the API server, estimated from its responses: for comparing with `creationTimestamp`, conditions and other times of
   * objects, and for writing times into a status. docs/internals/time.md says how precise it is.
   */
  readonly serverClock: Clock;

  /** Sets fields of the status. All that is set in a run is written once, at its end, if anything is different. */
  setStatus(
    this: void,
    change: StatusChange<T> | ((status: DeepReadonly<StatusOf<T>> | undefined) => StatusChange<T>),
  ): void;
  /** Sets a condition, which says since when it has been so and for which generation. Written with the status. */
  setCondition<C extends ConditionTypeOf<T>>(
    this: void,
    type: C,
    value: ConditionValue<ConditionReasonOf<T, NoInfer<C>>>,
  ): void;
  /** Takes a condition away. */
  removeCondition(this: void, type: ConditionTypeOf<T>): void;
  /** Sets the fields and conditions of a plan. Written with the status, and only if that changes its content. */
  setStatusPlan(this: void, plan: StatusPlan<T>): void;
  /**
   * Makes every status write of this reconcile depend on the status that it changes: where `isExpected` returns false, nothing
   * is written and the write throws the error that `otherwise` makes.
   *
   * The cached status is checked before a write, and the live one when another client was faster; the write itself carries the
   * resource version of the status that was checked. So a reconcile that started from an outdated cache cannot overwrite what
   * another process has recorded since.
   *
   * @example
   * requireStatus((status) => status?.phase === object.status?.phase, () => new OutdatedError(key));
   */
  requireStatus(
    this: void,
    isExpected: (status: DeepReadonly<StatusOf<T>> | undefined) => boolean,
    otherwise: () => Error,
  ): void;
  /** Writes what has been set so far, now. `all.get(key)` then returns the written object. */
  saveStatus(this: void, options?: SaveStatusOptions): Promise<void>;
  /** Records an event about the object. */
  event(this: void, event: EventNote): void;
}

/** What comes after a run. */
export interface ReconcileResult {
  /** Run again after this time, whatever happens. */
  readonly requeueAfterMs?: number | undefined;
}

/** Brings the world closer to what the object says. Throwing means trying again later; see `TerminalError`. */
export type Reconcile<T extends KubeObject, O extends OwnedKinds, W extends WatchedKinds, I extends string> = (
  context: ReconcileContext<T, O, W, I>,
) => Promise<ReconcileResult | void>;

/** Clears up after an object that is being deleted. `"done"` lets it go; anything else keeps it. */
export type Cleanup<T extends KubeObject, O extends OwnedKinds, W extends WatchedKinds, I extends string> = (
  context: ReconcileContext<T, O, W, I>,
) => Promise<"done" | ReconcileResult>;
