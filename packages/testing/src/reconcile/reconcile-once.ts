import { createClient, type Layer, layered } from "@homeostat/client";
import {
  ArgumentError,
  type Clock,
  type Condition,
  type DeepReadonly,
  formatApiVersion,
  isList,
  isRecord,
  keyOf,
  type KubeObject,
  type ObjectKey,
  type Random,
  type ResourceType,
  SeededRandom,
  type Stored,
  systemClock,
} from "@homeostat/core";
import {
  Cache,
  clientSources,
  type Controller,
  type EventRecord,
  EventRecorder,
  type Logger,
  type LogLine,
  recordingLogger,
  type StatusOf,
} from "@homeostat/runtime";
// Internal: one reconcile runs with the context and the error handling of a controller in a manager.
import { reconcileOne, type SettledReconcile } from "@homeostat/runtime/internal";
import { KindTable } from "../memory/kind-table.ts";
import { MemoryApi, type MemoryWrite, type WriteVerb } from "../memory/memory-api.ts";

/** Options of {@link reconcileOnce}. */
export interface ReconcileOnceOptions {
  /** The object to reconcile: `default/shop`, or `shop` for a cluster-scoped kind. Default: the only given object of the controller's kind. */
  readonly key?: string;
  /** Kinds of further objects, with their schemas or unusual plurals. Those of the controller are known. */
  readonly types?: readonly ResourceType[];
  /** Layers of the client, such as that of `RequestFaults`. */
  readonly layers?: readonly Layer[];
  /** The number of failed reconciles before this one, and the error of the last one. Default: none. */
  readonly streak?: { readonly failures: number; readonly error: unknown };
  /** Default: the system clock. A `FakeClock` gives conditions a fixed time; advance it if the reconcile waits, as it does before a retry after a conflict. */
  readonly clock?: Clock;
  /** Default: a random source with a fixed seed. */
  readonly random?: Random;
  /** Default: the lines are in the result. */
  readonly log?: Logger;
}

/** A write of a reconcile. */
export interface ObjectWrite {
  readonly verb: WriteVerb;
  readonly apiVersion: string;
  readonly kind: string;
  /** `default/shop`, or `shop` for a cluster-scoped kind. */
  readonly key: string;
  /** `status`, or empty. */
  readonly subresource: string;
  readonly fieldManager: string | undefined;
  readonly isDryRun: boolean;
  /** False if the object already had this content. */
  readonly isChange: boolean;
  /** The body of the request: an object, a configuration to apply, a patch, or the options of a delete. */
  readonly body: unknown;
  /** The object after the write; undefined if it was deleted. */
  readonly object: DeepReadonly<KubeObject> | undefined;
  /** The write in a line: `apply Deployment default/shop`, `patch Site default/shop status`. */
  readonly text: string;
}

/** An event that a reconcile recorded. */
export interface ReconcileEvent extends Pick<EventRecord, "type" | "reason" | "note" | "action"> {
  /** The object that the event is about. */
  readonly regarding: DeepReadonly<KubeObject>;
}

/** Result of {@link reconcileOnce}. */
export interface ReconcileOnceResult<T extends KubeObject = KubeObject> {
  /**
   * `done` and `later` are successes, `later` with a requeue. `again`: a version conflict, retried. `failed`: retried with backoff. `terminal`: not
   * retried before a change.
   */
  readonly outcome: SettledReconcile["outcome"]["type"];
  /** The error of an outcome other than `done` and `later`. */
  readonly error: unknown;
  /** The delay that the reconciler returned; undefined if it waits for events only. */
  readonly requeueAfterMs: number | undefined;
  /** The delay before the retry of a failure. */
  readonly retryAfterMs: number | undefined;
  /** The writes in order. */
  readonly writes: readonly ObjectWrite[];
  readonly events: readonly ReconcileEvent[];
  readonly logs: readonly LogLine[];
  /** The primary object afterwards; undefined if it does not exist. */
  readonly object: Stored<T> | undefined;
  /** The status of the primary object afterwards. */
  readonly status: DeepReadonly<StatusOf<T>> | undefined;
  /** All objects afterwards, to pass to the next `reconcileOnce`. */
  readonly objects: readonly DeepReadonly<KubeObject>[];
  /** Returns a condition of the primary object. */
  condition(type: string): DeepReadonly<Condition> | undefined;
  /** Returns an object afterwards. */
  get<U extends KubeObject>(type: ResourceType<U>, key: string | ObjectKey): Stored<U> | undefined;
  /** Returns all objects of a kind afterwards. */
  list<U extends KubeObject>(type: ResourceType<U>): readonly Stored<U>[];
}

/**
 * Reconciles one object once, without a server: reads return the given objects, writes change copies of them and are returned.
 *
 * Finalizers, owned and managed objects, status, conditions, events, errors and requeues are handled by the code of a running controller. The writes
 * go to an API server in memory, which applies schemas, resource versions and server-side apply, but has no admission, no defaults of built-in
 * kinds and no controllers of its own.
 *
 * @example
 * const { writes, status } = await reconcileOnce(sites, [objectOf(Site, { metadata, spec: { replicas: 2 } })]);
 * assert.deepEqual(writes.map(({ text }) => text), ["apply Deployment default/shop", "patch Site default/shop status"]);
 */
export async function reconcileOnce<T extends KubeObject>(
  controller: Controller<T>,
  objects: readonly DeepReadonly<KubeObject>[],
  options: ReconcileOnceOptions = {},
): Promise<ReconcileOnceResult<T>> {
  const { layers = [], clock = systemClock, random = new SeededRandom(1), streak } = options;
  const { definition, name } = controller;
  const kinds = new KindTable([...typesOf(controller), ...(options.types ?? [])]);
  const key = options.key ?? onlyKey(definition.for, objects);
  const api = new MemoryApi({ kinds, clock, objects });
  const logs: LogLine[] = [];
  const events: ReconcileEvent[] = [];
  const log = options.log ?? recordingLogger(logs);
  const client = createClient(layered(api, layers), { clock, random, retries: false });
  const cache = new Cache({ sources: clientSources(client), clock, random });
  // Checks events as in a program; they are collected instead of sent.
  const recorder = new EventRecorder({
    sink: { create: () => Promise.resolve(), patch: () => Promise.resolve() },
    clock,
    random,
    reportingController: name,
    reportingInstance: name,
  });
  const record = (regarding: DeepReadonly<KubeObject>, event: EventRecord): void => {
    recorder.record(regarding, event);
    const { type, reason, note, action } = event;
    events.push({ type, reason, note, action, regarding });
  };
  const stopping = new AbortController();
  const running = cache.run(stopping.signal);
  try {
    const parts = { client, cache, clock, random, log, events: { record } };
    const single = { key, reason: "test", streak, signal: stopping.signal };
    const { outcome, record: history } = await reconcileOne(controller, parts, single);
    const isRetried = outcome.type !== "done" && outcome.type !== "later";
    const dueAt = history?.nextReconcileAt;
    return {
      outcome: outcome.type,
      error: "error" in outcome ? outcome.error : undefined,
      requeueAfterMs: outcome.type === "later" ? outcome.afterMs : undefined,
      retryAfterMs: isRetried && dueAt !== undefined ? Math.max(0, dueAt - clock.now()) : undefined,
      writes: api.writes.map(withText),
      events,
      logs,
      ...contents(controller, { key, objects: api.objects }),
    };
  } finally {
    stopping.abort();
    await running;
  }
}

function typesOf({ definition: { for: primary, owns = {}, watches = {} } }: Controller): ResourceType[] {
  return [primary, ...[...Object.values(owns), ...Object.values(watches)].map(({ type }) => type)];
}

function onlyKey(type: ResourceType, objects: readonly DeepReadonly<KubeObject>[]): string {
  const keys = objects.filter((object) => isOf(type, object)).map(keyOf);
  const [key] = keys;
  if (key !== undefined && keys.length === 1) return key;
  const problem =
    key === undefined
      ? `is missing, and no object is a ${type.kind} of ${formatApiVersion(type)}; pass the object to reconcile.`
      : `is missing, and ${keys.length} objects are of the kind ${type.kind}; set it to one of ${keys.join(", ")}.`;
  throw new ArgumentError({ argument: "key", problem });
}

function withText(write: MemoryWrite): ObjectWrite {
  const { verb, kind, key, subresource } = write;
  return { ...write, text: `${verb} ${kind} ${key}${subresource === "" ? "" : ` ${subresource}`}` };
}

type Contents<T extends KubeObject> = Pick<
  ReconcileOnceResult<T>,
  "object" | "status" | "objects" | "condition" | "get" | "list"
>;

function contents<T extends KubeObject>(
  controller: Controller<T>,
  state: { readonly key: string; readonly objects: readonly KubeObject[] },
): Contents<T>;
function contents(
  { definition: { for: primary } }: Controller,
  { key, objects }: { readonly key: string; readonly objects: readonly KubeObject[] },
): object {
  const list = (type: ResourceType): readonly KubeObject[] => objects.filter((object) => isOf(type, object));
  const get = (type: ResourceType, at: string | ObjectKey): KubeObject | undefined => {
    const wanted = typeof at === "string" ? at : keyOf({ metadata: at });
    return list(type).find((object) => keyOf(object) === wanted);
  };
  const object = get(primary, key);
  const status = object !== undefined && "status" in object ? object.status : undefined;
  return { object, status, objects, get, list, condition: (type: string) => conditionIn(status, type) };
}

function isOf(type: ResourceType, { apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): boolean {
  return kind === type.kind && apiVersion === formatApiVersion(type);
}

function conditionIn(status: unknown, type: string): DeepReadonly<Condition> | undefined {
  const conditions = isRecord(status) ? status["conditions"] : undefined;
  if (!isList(conditions)) return undefined;
  return conditions.find((condition): condition is Condition => isRecord(condition) && condition["type"] === type);
}
