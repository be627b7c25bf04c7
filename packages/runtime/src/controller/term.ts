import { setMaxListeners } from "node:events";
import { ArgumentError, type DeepReadonly, type KubeObject } from "@homeostat/core";
import type { ObjectEvent } from "../cache/event.ts";
import type { KeyState } from "../history/reconcile-history.ts";
import { SteadyMap } from "../performance/steady-map.ts";
import type { QueueItem } from "../queue/queue-item.ts";
import type { RetryLimiter } from "../queue/retry-limiter.ts";
import type { QueueSnapshot } from "../queue/snapshot.ts";
import type { WorkQueueMetrics } from "../queue/queue-metrics.ts";
import { WorkQueue } from "../queue/work-queue.ts";
import { policyDelayMs } from "./error-policy.ts";
import { cleanupWarning } from "./cleanup-warning.ts";
import { follow, type FollowTarget, type Trigger } from "./follow.ts";
import { followSource } from "./follow-source.ts";
import { priorityOf } from "./priority.ts";
import { ReconcileTask, type ReconcileParts, type ReconcileReport } from "./reconcile-task.ts";
import type { FailureStreak } from "./reconcile-context.ts";
import { resync } from "./resync.ts";
import { type StuckReconcile, StuckWorkers } from "./stuck-workers.ts";
import { TerminalHolds } from "./terminal-holds.ts";
import type { TermSignals } from "./unit.ts";

/** Dependencies of a {@link Term}. */
export interface TermParts extends ReconcileParts {
  readonly concurrency: number;
  readonly retry: RetryLimiter;
  readonly queueMetrics: WorkQueueMetrics | undefined;
}

/** The reason of a single reconcile, and the failures before it. */
export interface SingleReconcile {
  readonly reason: string;
  readonly streak: FailureStreak | undefined;
}

/**
 * The period in which one process reconciles the objects of one controller: from acquiring leadership until losing it or stopping.
 *
 * Like the controller of controller-runtime, a term consists of event handlers that add keys to a work queue, and of workers that take keys
 * from it:
 *
 * ```
 * informers, sources, resync ── enqueue ──▶ WorkQueue ── take ──▶ worker ── ReconcileTask ──▶ #settle
 *                                               ▲                                                │
 *                                               └──── done, retry with backoff, requeue after ───┘
 * ```
 *
 * The queue holds keys, not events: several events for one key lead to one reconcile, which reads the newest state from the cache. It
 * never hands out a key that a worker is still processing, so two reconciles of one object never overlap. An event that arrives during a
 * reconcile makes the queue hand out the key once more after it.
 *
 * The informers live longer than a term: they are started before leadership is acquired, so that a new leader starts with a filled cache instead of
 * listing all objects. Each term subscribes to them and receives every existing object as an `add` event first. Everything that is remembered about
 * failures (backoff, terminal errors, failure counts) belongs to the term and is lost with it: the next leader attempts every object once.
 */
export class Term implements FollowTarget {
  readonly #parts: TermParts;
  readonly #queue: WorkQueue;
  readonly #holds = new TerminalHolds();
  readonly #streaks = new Map<string, FailureStreak & { readonly attemptedAt: number }>();
  /** Minimum delay of the retry that is being scheduled, by key: the `Retry-After` of a response. Entries exist only during `#settle`. */
  readonly #retryAfterMs = new Map<string, number>();
  /** Running reconciles by sequence number, including abandoned ones. */
  readonly #reconciles = new SteadyMap<
    number,
    { readonly reconcile: ReconcileTask; readonly completion: Promise<void> }
  >();
  #reconcilesStarted = 0;
  readonly #stuckWorkers: StuckWorkers;
  #isStopping = false;

  constructor(parts: TermParts) {
    const { controller, clock, queueMetrics, retry } = parts;
    this.#parts = parts;
    this.#stuckWorkers = new StuckWorkers(parts);
    this.#queue = new WorkQueue({
      name: controller.name,
      clock,
      retry: (failed) => Math.max(retry(failed), this.#retryAfterMs.get(failed.key) ?? 0),
      ...(queueMetrics === undefined ? {} : { metrics: queueMetrics }),
    });
  }

  /** Returns a snapshot of the work queue. */
  inspect(): QueueSnapshot {
    return this.#queue.inspect();
  }

  /** Returns the stuck reconciles when they occupy every worker; undefined otherwise, and when the term is stopping anyway. */
  blocked(): readonly StuckReconcile[] | undefined {
    return this.#isStopping ? undefined : this.#stuckWorkers.blocked();
  }

  /** Returns the position of a key in the queue, for the debug page `/why`. */
  stateOf(key: string): KeyState {
    const { waiting, delayed, running } = this.#queue.inspect({ limit: Infinity });
    const held = this.#heldState(key);
    const active = running.find((other) => other.key === key);
    if (active !== undefined) {
      return { state: "running", at: active.startedAt, attempt: active.attempt, reasons: active.reasons, ...held };
    }
    const ready = waiting.find((other) => other.key === key);
    if (ready !== undefined) {
      return { state: "waiting", at: ready.readyAt, attempt: ready.attempt, reasons: ready.reasons, ...held };
    }
    const later = delayed.find((other) => other.key === key);
    if (later !== undefined) {
      return { state: "delayed", at: later.dueAt, attempt: later.attempt, reasons: later.reasons, ...held };
    }
    return { state: "idle", reasons: [], ...held };
  }

  /**
   * Reconciles until one of the signals aborts. Resolves when no reconcile is running any more, including stuck ones: the next term, which
   * may be in another process, must not overlap with writes of this one.
   */
  async run({ stop, abort }: TermSignals): Promise<void> {
    const { concurrency } = this.#parts;
    const stopping = new AbortController();
    setMaxListeners(0, stopping.signal);
    const onStop = (): void => {
      this.#isStopping = true;
      this.#queue.close();
      stopping.abort();
    };
    const onAbort = (): void => {
      onStop();
      for (const { reconcile } of this.#reconciles.values()) reconcile.abort(abort.reason);
    };
    stop.addEventListener("abort", onStop, { once: true });
    abort.addEventListener("abort", onAbort, { once: true });
    try {
      if (stop.aborted || abort.aborted) return;
      using _ = follow(this.#parts.controller, this.#parts.informers, this);
      const sources = this.#followSources(stopping.signal);
      const resyncing = resync(
        this.#parts,
        {
          enqueue: (key, trigger) => {
            this.enqueue(key, trigger);
          },
          // A resync must not shorten the backoff of a failed key, nor retry a key with a terminal error before a change.
          isHeldBack: (key) => this.#queue.retryOf(key) !== undefined || this.#holds.has(key),
        },
        stopping.signal,
      );
      await Promise.all([...Array.from({ length: concurrency }, () => this.#worker()), ...sources, resyncing]);
      // Workers return without their abandoned reconciles; wait for those, too.
      while (this.#reconciles.size > 0) {
        await Promise.all([...this.#reconciles.values()].map(({ completion }) => completion));
      }
    } finally {
      stop.removeEventListener("abort", onStop);
      abort.removeEventListener("abort", onAbort);
      this.#queue[Symbol.dispose]();
    }
  }

  /**
   * Reconciles one key without following events, and settles it like every reconcile of a term. For tests of one reconcile. A term can either run
   * or do this, once.
   */
  async reconcileOne(key: string, { reason, streak }: SingleReconcile): Promise<ReconcileReport> {
    if (streak !== undefined) this.#streaks.set(key, { ...streak, attemptedAt: this.#parts.clock.monotonic() });
    this.#queue.add(key, { reason, priority: 0 });
    using queue = this.#queue;
    const item = queue.next();
    if (item === undefined) throw new ArgumentError({ argument: "term", problem: "has ended; create another one." });
    const reconcile = new ReconcileTask(this.#parts, item, streak);
    const report = await reconcile.run();
    this.#settle(item, reconcile, report);
    return report;
  }

  /**
   * Adds a key to the queue because of another object. After a failure, the key is delayed as the error policy says: pods that keep crashing would
   * otherwise repeat the same error with each of their events.
   */
  enqueue(key: string, trigger: Trigger): void {
    const { events } = this.#parts.controller.definition.errorPolicy ?? {};
    const { attemptedAt } = this.#streaks.get(key) ?? {};
    const isEarly = events !== undefined && attemptedAt !== undefined;
    this.#add(key, trigger, isEarly ? attemptedAt + events.minMs - this.#parts.clock.monotonic() : 0);
  }

  /** Adds a key to the queue. During the hold time of a hot loop, or for a delay, the key waits until its end instead. */
  #add(key: string, { reason, priority: base }: Trigger, delayMs = 0): void {
    const priority = base + priorityOf(this.#parts, key, (error) => this.failed("priority", error));
    const holdMs = Math.max(this.#parts.hotLoops.holdMsOf(key), delayMs);
    if (holdMs > 0) this.#queue.addAfter(key, holdMs, { reason, priority });
    else this.#queue.add(key, { reason, priority });
  }

  /**
   * Handles an event of a primary object.
   *
   * A new spec resets the failure count: the failures were about the old spec, and users expect their fix to take effect at once. Other
   * changes, such as those of the status or of labels, keep the count, so that a stream of them does not restart the backoff at its base delay
   * each time. After a terminal error, they do not even enqueue the key, except for changes of annotations: the same spec would fail again.
   */
  changed(event: ObjectEvent<KubeObject>, why: Trigger): void {
    const { key, type } = event;
    if (type === "delete") {
      // Nothing is left to reconcile. A reconcile that is already running is not interrupted.
      this.#forget(key);
      this.#queue.cancel(key);
      return;
    }
    const isHeld = this.#holds.has(key);
    if ((isHeld || this.#streaks.has(key) || this.#queue.retryOf(key) !== undefined) && hasNewSpec(event)) {
      this.#queue.forget(key);
      this.#streaks.delete(key);
    }
    if (isHeld && this.#holds.blocks(key, event.object)) return;
    this.#add(key, why);
  }

  /** Logs and counts an error of a user's callback. Events must not stop because of it, so it is never rethrown. */
  failed(callback: string, error: unknown): void {
    this.#parts.meter.callbackFailed();
    this.#parts.log.error("Controller callback threw", {
      controller: this.#parts.controller.name,
      callback,
      error,
    });
  }

  *#followSources(signal: AbortSignal): Generator<Promise<void>> {
    const { controller, informers, clock, random } = this.#parts;
    const { for: type, sources = [], select = {} } = controller.definition;
    for (const source of sources) {
      const { namespace } = select;
      yield followSource({ source, type, namespace, reader: informers.reader, target: this, clock, random }, signal);
    }
  }

  /** Reconciles one key after the other until the queue is closed. */
  async #worker(): Promise<void> {
    for await (const item of this.#queue.take()) await this.#work(item);
  }

  /**
   * Reconciles one key. Resolves when the worker is free again: when the reconcile has ended, or when it is stuck and was abandoned.
   *
   * JavaScript cannot interrupt a function, so a reconciler that ignores its signal would block its worker forever. Its key stays
   * checked out of the queue until it returns: starting a second reconcile of the same object beside it would be a race.
   */
  async #work(item: QueueItem): Promise<void> {
    const streak = this.#streaks.get(item.key);
    const reconcile = new ReconcileTask(this.#parts, item, streak);
    const number = this.#reconcilesStarted;
    this.#reconcilesStarted += 1;
    const startedAt = this.#parts.clock.monotonic();
    if (streak !== undefined) this.#streaks.set(item.key, { ...streak, attemptedAt: startedAt });
    const completion = reconcile
      .run()
      .then((report) => this.#settle(item, reconcile, report))
      .finally(() => {
        this.#reconciles.delete(number);
        this.#stuckWorkers.delete(number);
      });
    this.#reconciles.set(number, { reconcile, completion });
    const isDone = await Promise.race([completion.then(() => true), reconcile.stuck.then(() => false)]);
    if (isDone) return;
    const isAbandoned = this.#stuckWorkers.add(number, { key: item.key, startedAt });
    return isAbandoned ? undefined : completion;
  }

  /** Returns an item to the queue after its reconcile: done, requeued after a delay, or failed and retried. Logs every failure. */
  #settle(item: QueueItem, reconcile: ReconcileTask, report: ReconcileReport): void {
    const { outcome, object } = report;
    const { key, attempt } = item;
    const { log } = reconcile;
    switch (outcome.type) {
      // A requeue is a success and resets the failures, as in controller-runtime (`Forget` before `AddAfter`): a reconciler that polls
      // would otherwise keep the backoff of a failure long ago.
      case "done":
      case "later": {
        this.#streaks.delete(key);
        this.#holds.delete(key);
        if (object === undefined) this.#forget(key);
        report.record(this.#finish(item, outcome.type === "later" ? outcome.afterMs : undefined));
        return;
      }
      // A conflict is no failure of the reconciler: it decided from an object that another client changed in the meantime. It is retried
      // with backoff, because the cache may need a moment to receive that change, but it does not count in the failure streak.
      case "again":
      case "broken-off": {
        const retry = this.#queue.fail(item);
        log.info(
          outcome.type === "again"
            ? "Object changed during reconcile, retrying"
            : "Reconcile aborted, controller is stopping",
          { error: outcome.error },
        );
        report.record(retry?.nextRetryAt);
        return;
      }
      case "failed": {
        const failures = this.#countFailure(key, outcome.error);
        const delayMs = this.#policyDelayMs(outcome.error);
        this.#retryAfterMs.set(key, outcome.retryAfterMs);
        const retry = this.#queue.fail(
          item,
          delayMs === undefined ? {} : { delayMs: Math.max(delayMs, outcome.retryAfterMs) },
        );
        this.#retryAfterMs.delete(key);
        const about = { error: outcome.error, attempt };
        log.error(failureMessage(report), { ...about, nextRetryAt: retry?.nextRetryAt });
        const isDeletion = object?.metadata.deletionTimestamp !== undefined;
        const warning = isDeletion ? cleanupWarning(failures, outcome.error) : undefined;
        if (warning !== undefined) reconcile.warn(warning);
        report.record(retry?.nextRetryAt);
        return;
      }
      case "terminal": {
        this.#countFailure(key, outcome.error);
        // The cached object contains the writes of this reconcile. A change by a user that it contains as well has been enqueued already.
        if (object !== undefined) this.#holds.set(key, this.#parts.informers.primary.get(key) ?? object);
        if (!this.#parts.informers.primary.has(key)) this.#forget(key);
        reconcile.warn({ reason: outcome.reason, note: outcome.message });
        const about = { error: outcome.error, attempt };
        const delayMs = this.#policyDelayMs(outcome.error);
        if (delayMs === undefined) {
          log.error("Reconcile failed with a terminal error, not retrying", about);
          report.record(this.#finish(item, undefined));
          return;
        }
        const retry = this.#queue.fail(item, { delayMs });
        log.error(failureMessage(report), { ...about, nextRetryAt: retry?.nextRetryAt });
        report.record(retry?.nextRetryAt);
      }
    }
  }

  /** Adds a failure to the streak of a key. Returns the number of failures in a row. */
  #countFailure(key: string, error: unknown): number {
    const attemptedAt = this.#parts.clock.monotonic();
    const failures = (this.#streaks.get(key)?.failures ?? 0) + 1;
    this.#streaks.set(key, { failures, error, attemptedAt });
    return failures;
  }

  /** Returns the retry delay of the controller's error policy; undefined when the policy does not name the class of the error. */
  #policyDelayMs(error: unknown): number | undefined {
    return policyDelayMs(error, this.#parts.controller.definition.errorPolicy, this.#parts.random);
  }

  /** Marks an item as done that needs no retry, and requeues it if that was asked for. Returns the time of the next reconcile, if known. */
  #finish(item: QueueItem, afterMs: number | undefined): number | undefined {
    const { clock, hotLoops } = this.#parts;
    const { key, priority } = item;
    this.#queue.done(item);
    const holdMs = hotLoops.holdMsOf(key);
    // Events that arrived during the reconcile have made the key ready. In a hot loop, it has to wait until the end of the hold time, too.
    const wasReady = holdMs > 0 && this.#queue.cancel(key);
    if (afterMs === undefined && !wasReady) return undefined;
    const delayMs = Math.max(afterMs ?? 0, holdMs, requeueDelayMinMs);
    this.#queue.addAfter(key, delayMs, { priority, reason: wasReady ? "hot loop" : "requeue" });
    return clock.now() + delayMs;
  }

  /** Drops everything that is remembered about a key, because its object is deleted. */
  #forget(key: string): void {
    this.#queue.forget(key);
    this.#streaks.delete(key);
    this.#holds.delete(key);
    this.#parts.hotLoops.forget(key);
    this.#parts.settledSets.forget(key);
  }

  #heldState(key: string): Pick<KeyState, "held"> {
    const holdMs = this.#parts.hotLoops.holdMsOf(key);
    if (holdMs > 0) return { held: { why: "hot-loop", until: this.#parts.clock.now() + holdMs } };
    return this.#holds.has(key) ? { held: { why: "terminal" } } : {};
  }
}

/**
 * Minimum delay of a requeue. Without it, a reconcile that requeues its object at once and waits for no I/O would follow itself without an
 * event loop turn: no timer, signal or probe of the process would be served any more.
 */
const requeueDelayMinMs = 1;

/** Returns the log message of a failed reconcile; it names the purpose of a failed status write if the reconciler gave one. */
function failureMessage({ statusWrite }: ReconcileReport): string {
  return statusWrite === undefined ? "Reconcile failed" : `Failed to ${statusWrite}`;
}

/** Reports whether an object is new, was recreated under the same name, or has another generation than before. */
function hasNewSpec({ type, object, old }: ObjectEvent<KubeObject>): boolean {
  if (type === "add" || old === undefined) return true;
  const isSame = (a: DeepReadonly<KubeObject>, b: DeepReadonly<KubeObject>): boolean =>
    a.metadata.uid === b.metadata.uid && a.metadata.generation === b.metadata.generation;
  return !isSame(object, old);
}
