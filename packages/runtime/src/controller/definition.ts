import type { Stored, KubeObject, ResourceType } from "@homeostat/core";
import type { SeenEvent } from "./predicate.ts";
import type { Registry } from "../metrics/registry.ts";
import type { SelectionOptions } from "../cache/selection.ts";
import type { OwnershipDefinition } from "../managed/ownership.ts";
import type { ConditionTypeOf, ReconcileContext, ReconcileResult } from "./context.ts";
import type { IndexFunctions, OwnedKinds, WatchedKinds } from "./kinds.ts";
import type { Source } from "./source.ts";

/** How long to wait before trying again: the larger of the two. */
export interface RetryDefinition {
  /** The wait after the first failure of an object, doubled with each further one. Default: 5. */
  readonly baseMs?: number;
  /** Never longer than this. Default: 1,000,000. */
  readonly capMs?: number;
  /** How many retries per second there may be for all objects together. Default: 10. */
  readonly perSecond?: number;
  /** How many may come at once. Default: 100. */
  readonly burst?: number;
}

/** A retry after a random time between two bounds, in milliseconds. */
export interface RetryInterval {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * How long to wait after a failed reconcile, by the class of its error. A class that is named here is retried at its interval
 * instead of with exponential backoff; the failure is still counted, logged and shown.
 *
 * Version conflicts, and objects that are still being deleted, are no failures of the object: they are retried soon, with backoff.
 */
export interface ErrorPolicy {
  /** Errors that pass without action: an unreachable server, a timeout, `TransientError`. */
  readonly transient?: RetryInterval;
  /** Errors that the same input causes again: an invalid object, `TerminalError`. Default: no retry before something changes. */
  readonly permanent?: RetryInterval;
  /** Errors that may need action, such as a missing permission, and errors that nothing is known about. */
  readonly unknown?: RetryInterval;
}

/**
 * Metrics of a controller's own.
 *
 * @example
 * metrics: { register: (registry) => registry.register(sizes), clear: () => sizes.clear() }
 */
export interface OwnMetrics {
  /** Adds the metrics to the registry of a manager. Called once per manager, before its controllers start. */
  register(registry: Registry): unknown;
  /** Drops what only the leader may report. Called each time this process stops leading. */
  clear?(): void;
}

/** Rights that a reconciler needs for what it does with `client`. */
export interface AccessDefinition {
  readonly type: Pick<ResourceType, "group" | "plural" | "version" | "scope">;
  readonly verbs: readonly string[];
  readonly subresource?: string;
  /** Only for objects with these names. */
  readonly names?: readonly string[];
  /** Only in this namespace. Default: all. */
  readonly namespace?: string;
}

/** What a controller is: {@link defineController}. */
export interface ControllerDefinition<
  T extends KubeObject = KubeObject,
  O extends OwnedKinds = OwnedKinds,
  W extends WatchedKinds = WatchedKinds,
  I extends string = string,
> {
  /** Names it in logs, metrics and events. Default: the plural of the kind. */
  readonly name?: string;
  /** The kind whose objects it reconciles. */
  readonly for: ResourceType<T>;
  /** Which of them. Default: all. */
  readonly select?: SelectionOptions;
  /** By which values its objects are looked up. */
  readonly indexes?: IndexFunctions<T, I>;
  /** The kinds of which its objects own some. */
  readonly owns?: O;
  /** How objects of kinds that are `managed` say whom they belong to. Default: by controller reference and mark. */
  readonly ownership?: OwnershipDefinition<T>;
  /** Other kinds that it reads. */
  readonly watches?: W;
  /** Streams from outside the cluster. */
  readonly sources?: readonly Source[];
  /** Rights for what the reconciler does with `client`. Those for all else follow from this definition. */
  readonly access?: readonly AccessDefinition[];
  /** How many objects are reconciled at the same time. Default: 1. */
  readonly concurrency?: number;
  /**
   * How often all objects are reconciled although nothing has changed, in milliseconds, give or take a tenth. They come after everything
   * else; objects that wait for a retry, or for a change after a terminal error, are left out. Default: never.
   */
  readonly resyncMs?: number;
  /**
   * Returns the priority of an object in the queue: a whole number from -100 to 100, higher first. Objects of the initial list and of a
   * resync still come after changes. Default: 0 for all.
   */
  priority?(this: void, object: Stored<T>): number;
  /** Metrics of its own. */
  readonly metrics?: OwnMetrics;
  /** How long one run may take. Default: 60,000. */
  readonly timeoutMs?: number;
  readonly retry?: RetryDefinition;
  /** Retry intervals by error class. Default: exponential backoff as `retry` says, and no retry of terminal errors. */
  readonly errorPolicy?: ErrorPolicy;
  /** Whether it writes the status. Default: whether the kind is known to have one. */
  readonly writesStatus?: boolean;
  /**
   * The condition in which an error that is not tried again is shown, as `False`. A run that succeeds and says nothing about
   * it makes it `True` again. Default: none.
   */
  readonly errorCondition?: ConditionTypeOf<T>;
  /** Keeps an object until `cleanup` is done: `example.com/cleanup`. Needed when there is a `cleanup`. */
  readonly finalizer?: string;
  /**
   * Finalizers of a program that this one takes the place of. Where an object has one, it gets `finalizer` instead; of an object
   * that is being deleted it counts as ours.
   */
  readonly formerFinalizers?: readonly string[];
  /** The name under which it owns the fields it sets. Default: the name. */
  readonly fieldManager?: string;
  /** The name under which its events are recorded: their `reportingController`. Default: that of the program. */
  readonly reportingController?: string;
  /** Whether an event of its own kind is worth a reconcile. Default: all are but the echoes of its own writes. */
  when?(this: void, event: SeenEvent<Stored<T>>): boolean;
  reconcile(this: void, context: ReconcileContext<T, O, W, I>): Promise<ReconcileResult | void>;
  cleanup?(this: void, context: ReconcileContext<T, O, W, I>): Promise<"done" | ReconcileResult>;
}

/** A controller, checked and complete. Made by {@link defineController}. */
export interface Controller {
  readonly name: string;
  readonly fieldManager: string;
  readonly definition: ControllerDefinition;
}
