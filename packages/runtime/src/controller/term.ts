import { setMaxListeners } from "node:events";
import { ArgumentError, type Clock, type DeepReadonly, type KubeObject } from "@homeostat/core";
import type { ObjectEvent } from "../cache/event.ts";
import type { KeyState } from "../flight/flight-recorder.ts";
import { SteadyMap } from "../internal/steady-map.ts";
import { initialListPriority, type QueueItem } from "../queue/queue-item.ts";
import type { RetryLimiter } from "../queue/retry-limiter.ts";
import type { QueueSnapshot } from "../queue/snapshot.ts";
import type { WorkQueueMetrics } from "../queue/queue-metrics.ts";
import { WorkQueue } from "../queue/work-queue.ts";
import { policyDelayMs } from "./error-policy.ts";
import { cleanupWarning } from "./cleanup-warning.ts";
import { follow, type FollowTarget, type Wake } from "./follow.ts";
import { followSource } from "./follow-source.ts";
import { Run, type RunParts, type RunReport } from "./run.ts";
import type { Trouble } from "./run-context.ts";
import { type StuckReconcile, StuckWorkers } from "./stuck-workers.ts";
import { TerminalHolds } from "./terminal-holds.ts";
import type { TermSignals } from "./unit.ts";

/** What a term is made of. */
export interface TermParts extends RunParts {
  readonly concurrency: number;
  readonly retry: RetryLimiter;
  readonly queueMetrics: WorkQueueMetrics | undefined;
}

/** The time in which one process reconciles the objects of one controller. */
export class Term implements FollowTarget {
  readonly #parts: TermParts;
  readonly #queue: WorkQueue;
  readonly #holds = new TerminalHolds();
  readonly #troubles = new Map<string, Trouble>();
  /** How long the present failure of a key has to wait at least. */
  readonly #waitsMin = new Map<string, number>();
  /** What runs, each under a number of its own. */
  readonly #runs = new SteadyMap<number, { readonly run: Run; readonly task: Promise<void> }>();
  #runsBegun = 0;
  readonly #stuckWorkers: StuckWorkers;
  #isStopping = false;

  constructor(parts: TermParts) {
    const { controller, clock, queueMetrics, retry } = parts;
    this.#parts = parts;
    this.#stuckWorkers = new StuckWorkers(parts);
    this.#queue = new WorkQueue({
      name: controller.name,
      clock,
      retry: (failed) => Math.max(retry(failed), this.#waitsMin.get(failed.key) ?? 0),
      ...(queueMetrics === undefined ? {} : { metrics: queueMetrics }),
    });
  }

  /** What the queue looks like now. */
  inspect(): QueueSnapshot {
    return this.#queue.inspect();
  }

  /** Returns the stuck reconciles when they keep every worker; undefined otherwise, and when the term is about to end anyway. */
  blocked(): readonly StuckReconcile[] | undefined {
    return this.#isStopping ? undefined : this.#stuckWorkers.blocked();
  }

  /** Where an object stands. */
  stateOf(key: string): KeyState {
    const { waiting, delayed, running } = this.#queue.inspect({ limit: Infinity });
    const held = this.#heldState(key);
    const run = running.find((other) => other.key === key);
    if (run !== undefined) {
      return { state: "running", at: run.startedAt, attempt: run.attempt, reasons: run.reasons, ...held };
    }
    const ready = waiting.find((other) => other.key === key);
    if (ready !== undefined) {
      return { state: "waiting", at: ready.readyAt, attempt: ready.attempt, reasons: ready.reasons, ...held };
    }
    const late = delayed.find((other) => other.key === key);
    if (late !== undefined) {
      return { state: "delayed", at: late.dueAt, attempt: late.attempt, reasons: late.reasons, ...held };
    }
    return { state: "idle", reasons: [], ...held };
  }

  /** Reconciles until it is told to stop. Resolves when nothing of it runs any more. */
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
      for (const { run } of this.#runs.values()) run.breakOff(abort.reason);
    };
    stop.addEventListener("abort", onStop, { once: true });
    abort.addEventListener("abort", onAbort, { once: true });
    try {
      if (stop.aborted || abort.aborted) return;
      using _ = follow(this.#parts.controller, this.#parts.informers, this);
      const sources = this.#followSources(stopping.signal);
      const resync = this.#resync(stopping.signal);
      await Promise.all([...Array.from({ length: concurrency }, () => this.#worker()), ...sources, resync]);
      while (this.#runs.size > 0) await Promise.all([...this.#runs.values()].map(({ task }) => task));
    } finally {
      stop.removeEventListener("abort", onStop);
      abort.removeEventListener("abort", onAbort);
      this.#queue[Symbol.dispose]();
    }
  }

  // What is followed leads here.

  wake(key: string, { reason, priority: base }: Wake): void {
    const priority = base + this.#priorityOf(key);
    const holdMs = this.#parts.hotLoops.holdMsOf(key);
    if (holdMs > 0) this.#queue.addAfter(key, holdMs, { reason, priority });
    else this.#queue.add(key, { reason, priority });
  }

  changed(event: ObjectEvent<KubeObject>, why: Wake): void {
    const { key, type } = event;
    if (type === "delete") {
      // There is nothing left to run for; one that is going on will see.
      this.#forget(key);
      this.#queue.cancel(key);
      return;
    }
    const isHeld = this.#holds.has(key);
    if ((isHeld || this.#troubles.has(key) || this.#queue.retryOf(key) !== undefined) && hasNewSpec(event)) {
      this.#queue.forget(key);
      this.#troubles.delete(key);
    }
    if (isHeld && this.#holds.blocks(key, event.object)) return;
    this.wake(key, why);
  }

  failed(what: string, error: unknown): void {
    this.#parts.meter.followingFailed();
    this.#parts.log.error("A function of the controller threw", {
      controller: this.#parts.controller.name,
      what,
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

  /** Asks for a reconcile of every object from time to time, where the definition wants that. */
  async #resync(signal: AbortSignal): Promise<void> {
    const { controller, clock, random, informers } = this.#parts;
    const { resyncMs } = controller.definition;
    if (resyncMs === undefined) return;
    while (!signal.aborted) {
      await sleepUnless(signal, { clock, ms: Math.round(resyncMs * (0.9 + 0.2 * random.next())) });
      if (signal.aborted) return;
      for (const key of informers.primary.keys()) {
        // A retry has its own time, and a terminal error waits for a change.
        if (this.#queue.retryOf(key) !== undefined || this.#holds.has(key)) continue;
        this.wake(key, { reason: "resync", priority: initialListPriority });
      }
    }
  }

  /** The priority that the definition gives an object; 0 where it gives none. */
  #priorityOf(key: string): number {
    const { controller, informers } = this.#parts;
    const { priority } = controller.definition;
    const object = priority === undefined ? undefined : informers.primary.get(key);
    if (priority === undefined || object === undefined) return 0;
    try {
      const value = priority(object);
      if (Number.isInteger(value) && Math.abs(value) <= priorityMax) return value;
      const problem = `is ${value} for ${key}; it must be a whole number from -${priorityMax} to ${priorityMax}.`;
      throw new ArgumentError({ argument: "priority", problem });
    } catch (error) {
      this.failed("priority", error);
      return 0;
    }
  }

  async #worker(): Promise<void> {
    for await (const item of this.#queue.take()) await this.#work(item);
  }

  /** Works on an item. Resolves when the worker is free again, which is before the end when that may never come. */
  async #work(item: QueueItem): Promise<void> {
    const run = new Run(this.#parts, item, this.#troubles.get(item.key));
    const number = this.#runsBegun;
    this.#runsBegun += 1;
    const startedAt = this.#parts.clock.monotonic();
    const task = run
      .perform()
      .then((report) => this.#settle(item, run, report))
      .finally(() => {
        this.#runs.delete(number);
        this.#stuckWorkers.delete(number);
      });
    this.#runs.set(number, { run, task });
    const isDone = await Promise.race([task.then(() => true), run.stuck.then(() => false)]);
    if (isDone) return;
    // An abandoned reconcile goes on without its worker.
    return this.#stuckWorkers.add(number, { key: item.key, startedAt }) ? undefined : task;
  }

  /** Puts an item down after its run, and plans the next one. */
  #settle(item: QueueItem, run: Run, report: RunReport): void {
    const { outcome, object } = report;
    const { key, attempt } = item;
    const { log } = run;
    switch (outcome.type) {
      case "done":
      case "later": {
        this.#troubles.delete(key);
        this.#holds.delete(key);
        if (object === undefined) this.#forget(key);
        report.takeDown(this.#finish(item, outcome.type === "later" ? outcome.afterMs : undefined));
        return;
      }
      case "again":
      case "broken-off": {
        const retry = this.#queue.fail(item);
        log.info(
          outcome.type === "again"
            ? "The world has moved on; reading it again"
            : "The run was broken off with its term",
          { error: outcome.error },
        );
        report.takeDown(retry?.nextRetryAt);
        return;
      }
      case "failed": {
        const { failures = 0 } = this.#troubles.get(key) ?? {};
        this.#troubles.set(key, { failures: failures + 1, error: outcome.error });
        const delayMs = this.#policyDelayMs(outcome.error);
        this.#waitsMin.set(key, outcome.retryAfterMs);
        const retry = this.#queue.fail(
          item,
          delayMs === undefined ? {} : { delayMs: Math.max(delayMs, outcome.retryAfterMs) },
        );
        this.#waitsMin.delete(key);
        const about = { error: outcome.error, attempt };
        log.error(failureMessage(report), { ...about, nextRetryAt: retry?.nextRetryAt });
        const isDeletion = object?.metadata.deletionTimestamp !== undefined;
        const warning = isDeletion ? cleanupWarning(failures + 1, outcome.error) : undefined;
        if (warning !== undefined) run.warn(warning);
        report.takeDown(retry?.nextRetryAt);
        return;
      }
      case "terminal": {
        const { failures = 0 } = this.#troubles.get(key) ?? {};
        this.#troubles.set(key, { failures: failures + 1, error: outcome.error });
        if (object !== undefined) this.#holds.set(key, object);
        if (!this.#parts.informers.primary.has(key)) this.#forget(key);
        run.warn({ reason: outcome.reason, note: outcome.message });
        const about = { error: outcome.error, attempt };
        const delayMs = this.#policyDelayMs(outcome.error);
        if (delayMs === undefined) {
          log.error("Reconcile failed, and trying again cannot help", about);
          report.takeDown(this.#finish(item, undefined));
          return;
        }
        const retry = this.#queue.fail(item, { delayMs });
        log.error(failureMessage(report), { ...about, nextRetryAt: retry?.nextRetryAt });
        report.takeDown(retry?.nextRetryAt);
      }
    }
  }

  /** How long the error policy of the controller makes a failed key wait; undefined when it leaves that to the backoff. */
  #policyDelayMs(error: unknown): number | undefined {
    return policyDelayMs(error, this.#parts.controller.definition.errorPolicy, this.#parts.random);
  }

  /** Puts an item down that needs no retry. Returns when the next run is, if it is known. */
  #finish(item: QueueItem, afterMs: number | undefined): number | undefined {
    const { clock, hotLoops } = this.#parts;
    const { key, priority } = item;
    this.#queue.done(item);
    const holdMs = hotLoops.holdMsOf(key);
    // Whatever came during the run has to wait, too.
    const isWanted = holdMs > 0 && this.#queue.cancel(key);
    if (afterMs === undefined && !isWanted) return undefined;
    const delayMs = Math.max(afterMs ?? 0, holdMs);
    this.#queue.addAfter(key, delayMs, { priority, reason: isWanted ? "held back" : "requeue" });
    return clock.now() + delayMs;
  }

  #forget(key: string): void {
    this.#queue.forget(key);
    this.#troubles.delete(key);
    this.#holds.delete(key);
    this.#parts.hotLoops.forget(key);
  }

  #heldState(key: string): Pick<KeyState, "held"> {
    const holdMs = this.#parts.hotLoops.holdMsOf(key);
    if (holdMs > 0) return { held: { why: "hot-loop", until: this.#parts.clock.now() + holdMs } };
    return this.#holds.has(key) ? { held: { why: "terminal" } } : {};
  }
}

/** So far may the priority of an object be from 0: those of the initial list stay below all others that have the same. */
const priorityMax = 100;

/** Sleeps, or returns early when the signal aborts. */
async function sleepUnless(
  signal: AbortSignal,
  { clock, ms }: { readonly clock: Clock; readonly ms: number },
): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Returns the message of a failed reconcile. A reconciler may say what a status write that failed was for. */
function failureMessage({ statusWrite }: RunReport): string {
  return statusWrite === undefined ? "Reconcile failed" : `Failed to ${statusWrite}`;
}

/** Whether an object is new, made anew, or has another spec than before. */
function hasNewSpec({ type, object, old }: ObjectEvent<KubeObject>): boolean {
  if (type === "add" || old === undefined) return true;
  const isSame = (a: DeepReadonly<KubeObject>, b: DeepReadonly<KubeObject>): boolean =>
    a.metadata.uid === b.metadata.uid && a.metadata.generation === b.metadata.generation;
  return !isSame(object, old);
}
