import type { Stored, KubeObject, ResourceType } from "@homeostat/core";
import type { PredicateEvent } from "../kinds/predicate.ts";
import type { Registry } from "../metrics/registry.ts";
import type { SelectionOptions } from "../cache/selection.ts";
import type { OwnershipDefinition } from "../managed/ownership.ts";
import type { ReconcileContext, ReconcileResult } from "./context.ts";
import type { ConditionTypeOf } from "../writes/status-change.ts";
import type { IndexFunctions, OwnedKinds, WatchedKinds } from "../kinds/kinds.ts";
import type { Source } from "./source.ts";

/**
 * Retry limits of a controller: exponential backoff per object, and a token bucket for all objects of the controller together. A retry waits for
 * the longer of the two, like the default rate limiter of controller-runtime.
 */
export interface RetryDefinition {
  /** Milliseconds to wait after the first failure of an object; doubled with each further failure. Default: 5. */
  readonly baseMs?: number;
  /** Upper limit of the exponential backoff, in milliseconds. Default: 1,000,000. */
  readonly capMs?: number;
  /** Retries per second of all objects together. Default: 10. */
  readonly perSecond?: number;
  /** Retries that may happen at once before `perSecond` limits them. Default: 100. */
  readonly burst?: number;
}

/** A retry after a random time between two bounds, in milliseconds. */
export interface RetryInterval {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * Retry intervals after a failed reconcile, by error class. A class that is named here is retried at its interval instead of with
 * exponential backoff; the failure is still counted, logged and shown.
 *
 * Version conflicts, and objects that are still being deleted, do not count as failures: they are always retried soon, with backoff.
 */
export interface ErrorPolicy {
  /** Errors that go away without action: an unreachable server, a timeout, `TransientError`. */
  readonly transient?: RetryInterval;
  /** Errors that the same input causes again: an invalid object, `TerminalError`. Default: no retry until an event arrives. */
  readonly permanent?: RetryInterval;
  /** Errors that may need action, such as a missing permission, and errors of unknown classes. */
  readonly unknown?: RetryInterval;
  /**
   * Least time between two reconciles of a failing object that events of owned or watched objects trigger, in milliseconds. A new spec and
   * changed annotations of the object itself trigger one at once. Default: events trigger one at once, too.
   */
  readonly events?: Pick<RetryInterval, "minMs">;
}

/**
 * Metrics that the author of a controller adds to the built-in ones.
 *
 * @example
 * metrics: { register: (registry) => registry.register(sizes), clear: () => sizes.clear() }
 */
export interface OwnMetrics {
  /** Adds the metrics to the registry of a manager. Called once per manager, before its controllers start. */
  register(registry: Registry): unknown;
  /** Removes series that only the leader may report. Called each time this process stops leading. */
  clear?(): void;
}

/** Permissions that a reconciler needs for its requests through `client`. */
export interface AccessDefinition {
  readonly type: Pick<ResourceType, "group" | "plural" | "version" | "scope">;
  readonly verbs: readonly string[];
  readonly subresource?: string;
  /** Only for objects with these names. */
  readonly names?: readonly string[];
  /** Only in this namespace. Default: all. */
  readonly namespace?: string;
}

/** Definition of a controller, the argument of {@link defineController}. */
export interface ControllerDefinition<
  T extends KubeObject = KubeObject,
  O extends OwnedKinds = OwnedKinds,
  W extends WatchedKinds = WatchedKinds,
  I extends string = string,
> {
  /** Name of the controller in logs and metrics. Default: the plural of the kind. */
  readonly name?: string;
  /** The kind of the primary objects: those that the controller reconciles. */
  readonly for: ResourceType<T>;
  /** Namespace and selectors of the primary objects. Default: all objects of the kind. */
  readonly select?: SelectionOptions;
  /** Cache indexes of the primary objects, by index name; `context.all.by` reads them. */
  readonly indexes?: IndexFunctions<T, I>;
  /** Kinds owned by the reconciled object. Changes of an owned object requeue its owner. */
  readonly owns?: O;
  /** Marks of `managed` objects that name their owner. Default: controller reference and annotations. */
  readonly ownership?: OwnershipDefinition<T>;
  /** Further kinds that the controller reads from the cache without owning their objects. */
  readonly watches?: W;
  /** Event streams from outside the cluster that trigger reconciles. */
  readonly sources?: readonly Source[];
  /** Permissions for requests that the reconciler makes with `client`. All others are derived from this definition. */
  readonly access?: readonly AccessDefinition[];
  /** Number of workers, that is, of objects reconciled at the same time. One object is never reconciled by two workers. Default: 1. */
  readonly concurrency?: number;
  /**
   * Interval in milliseconds at which all objects are reconciled although nothing has changed, with 10 % jitter. A resync has the lowest
   * priority, and skips objects that wait for a retry, or for a change after a terminal error. Default: no resync.
   */
  readonly resyncMs?: number;
  /**
   * Returns a version of the inputs that decide about the written objects, for a controller whose inputs are not the primary object alone. It must
   * change whenever a user changes an input, and never return to an earlier value: use generations or a counter, not a hash of the state. A write
   * that follows a change of the inputs is not counted as a repetition by the detection of hot loops. The generation of the primary object always
   * counts as an input.
   */
  inputVersion?(object: Stored<T>): string;
  /**
   * True if the kinds of this controller belong to an add-on, such as a service mesh, that a cluster may never have. The controller starts when
   * they are installed, and the program is ready without it. Default: a missing kind makes the program not ready, because it
   * is more often a CRD that was forgotten.
   */
  readonly areKindsOptional?: boolean;
  /**
   * Returns the priority of an object in the queue: a whole number from -100 to 100, higher first. Objects of the initial list and of a
   * resync still come after changes of objects with the same priority. Default: 0 for all.
   */
  priority?(this: void, object: Stored<T>): number;
  /** Metrics that the author of the controller adds to the built-in ones. */
  readonly metrics?: OwnMetrics;
  /** Milliseconds after which the signal of a reconcile aborts; the reconcile counts as failed. Default: 60,000. */
  readonly timeoutMs?: number;
  readonly retry?: RetryDefinition;
  /** Retry intervals by error class. Default: exponential backoff as configured by `retry`, and no retry of terminal errors. */
  readonly errorPolicy?: ErrorPolicy;
  /** True if the controller writes the status subresource. Default: true if the kind declares one (`hasStatus`). */
  readonly writesStatus?: boolean;
  /**
   * Type of the condition that becomes `False` with the message of a terminal error. A reconcile that succeeds without setting the condition
   * changes it from `False` to `True`. Default: terminal errors are shown in events and logs only.
   */
  readonly errorCondition?: ConditionTypeOf<T>;
  /** Finalizer that keeps an object until `cleanup` returns `"done"`: `example.com/cleanup`. Required with `cleanup`. */
  readonly finalizer?: string;
  /**
   * False if the reconciler adds and removes `finalizer` itself, because only some objects need a cleanup. The runtime then calls `cleanup` for
   * objects that have it. Default: true, the runtime adds it to every object.
   */
  readonly addsFinalizer?: boolean;
  /**
   * Finalizers of an operator that this controller replaces. An object that has one gets `finalizer` instead; on an object that is being
   * deleted, they are treated like `finalizer`: they trigger `cleanup` and are removed after it.
   */
  readonly formerFinalizers?: readonly string[];
  /** Field manager of the controller's server-side apply requests. Default: `name`. */
  readonly fieldManager?: string;
  /** `reportingController` of the events of this controller. Default: that of the event recorder. */
  readonly reportingController?: string;
  /**
   * Predicate for events of primary objects; returns true if the event triggers a reconcile. Watch events caused by the reconciler's own
   * writes never reach it. Default: every event triggers a reconcile.
   */
  when?(this: void, event: PredicateEvent<Stored<T>>): boolean;
  /** Brings the cluster closer to the desired state of the object. Throwing causes a retry; see {@link ErrorPolicy} and `TerminalError`. */
  reconcile(this: void, context: ReconcileContext<T, O, W, I>): Promise<ReconcileResult | void>;
  /** Removes what `reconcile` made, when the object is being deleted. `"done"` removes the finalizer; any other result keeps the object. */
  cleanup?(this: void, context: ReconcileContext<T, O, W, I>): Promise<"done" | ReconcileResult>;
}

/**
 * A validated controller definition with its defaults. Made by {@link defineController}.
 *
 * `T` is the type of the primary objects. It exists only at compile time, for functions that return such an object.
 */
export interface Controller<T extends KubeObject = KubeObject> {
  readonly "~primary"?: T;
  /** Name in logs and metrics. */
  readonly name: string;
  /** Field manager of the controller's server-side apply requests. */
  readonly fieldManager: string;
  readonly definition: ControllerDefinition;
}
