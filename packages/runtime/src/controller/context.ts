import type { Clock, DeepReadonly, KubeObject, Stored } from "@homeostat/core";
import type { Informer } from "../cache/informer.ts";
import type { RecordedDrift } from "../history/reconcile-record.ts";
import type { CacheReader } from "../kinds/cache-reader.ts";
import type { OwnedKinds, WatchedKind, WatchedKinds } from "../kinds/kinds.ts";
import type { Logger } from "../log/logger.ts";
import type { ManagedObjects } from "../managed/managed-objects.ts";
import type { Span } from "../tracing/tracing.ts";
import type { OwnedHandle } from "../writes/handles.ts";
import type { RecordedClient } from "../writes/recorded-client.ts";
import type {
  ConditionReasonOf,
  ConditionTypeOf,
  ConditionValue,
  StatusChange,
  StatusOf,
  StatusPlan,
} from "../writes/status-change.ts";

/** Options of `saveStatus`. */
export interface SaveStatusOptions {
  /** Purpose of the write, such as `record the start time`. A failure is then logged as `Failed to record the start time`. */
  readonly purpose?: string;
}

/** An event to record, about the primary object unless `regarding` names another one. */
export interface EventNote {
  /** Default: `Normal`. */
  readonly type?: "Normal" | "Warning";
  /** Machine-readable reason in CamelCase: `JobCreated`. */
  readonly reason: string;
  readonly note: string;
  /** Machine-readable action in CamelCase. Default: `Reconcile`. */
  readonly action?: string;
  /** The object that the event is about. Default: the primary object. */
  readonly regarding?: DeepReadonly<KubeObject>;
  /** A second object that the event concerns. */
  readonly related?: DeepReadonly<KubeObject>;
  /**
   * Drops repeated events about the object: with `"generation"`, one with the same reason and note for the same generation; with a number,
   * any with the same reason within so many milliseconds; with `noteMs`, one with the same reason and note within so many milliseconds. The recorded
   * events are remembered in memory only, so a restart may repeat one. Default: all are recorded.
   */
  readonly once?: "generation" | number | { readonly noteMs: number };
  /**
   * Name of the limit that the event counts towards. About one object, 25 events are sent at once and then one every five minutes; events with a
   * name have a limit of their own, so that frequent events about other things do not suppress them. Default: one limit for all events without a name.
   */
  readonly limit?: string;
}

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
  /**
   * Performs a step of the reconcile in a child span of `span`. Requests of the step are spans below it, and an error that it throws is
   * recorded.
   *
   * @example
   * const observed = await context.step("observe", () => observe(context));
   */
  step<R>(this: void, name: string, work: () => R | Promise<R>): Promise<R>;
  /**
   * Adds a decision to the record of this reconcile on the page `/why`: its subject, and its result in a few words without values of objects, which may
   * be secret. A later decision about the same subject replaces it. Changes of conditions and results of managed sets are recorded without it.
   *
   * @example
   * recordDecision("gate of ingest", "closed by maintenanceWindowIsOpen");
   */
  recordDecision(this: void, about: string, result: string): void;
  /** Adds a drift that the reconciler has corrected with a request of its own to the drift log on the page `/why`. That of managed and applied objects is recorded without it. */
  recordDrift(this: void, drift: RecordedDrift): void;
  /** Records an event about the object, or about the object that it names. */
  event(this: void, event: EventNote): void;
}

/** Result of a successful reconcile. */
export interface ReconcileResult {
  /** Milliseconds after which the object is reconciled again even without an event, at least 1; undefined to wait for events only. */
  readonly requeueAfterMs?: number | undefined;
}
