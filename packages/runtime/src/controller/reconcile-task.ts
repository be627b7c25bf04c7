import {
  type DeepReadonly,
  hasFinalizer,
  isRecord,
  type KubeObject,
  parseKey,
  type Random,
  type Stored,
  uuid,
} from "@homeostat/core";
import { type EventRecord, type EventSubject, reconcileIdAnnotation } from "../events/make-event.ts";
import {
  type ReconcileRecord,
  type RecordedDrift,
  recordedError,
  type RecordedResult,
} from "../history/reconcile-record.ts";
import { ReconcileReads } from "../history/reconcile-reads.ts";
import type { Logger } from "../log/logger.ts";
import type { QueueItem } from "../queue/queue-item.ts";
import { recordFailure } from "../tracing/record-failure.ts";
import type { Span, Tracing } from "../tracing/tracing.ts";
import { firstInventory } from "../managed/inventory.ts";
import { ensureFinalizer, releaseFinalizer } from "../writes/finalizer.ts";
import type { ReconcileScope, WriteReport } from "../writes/reconcile-scope.ts";
import type { EventNote, ReconcileContext } from "./context.ts";
import type { ControllerMeter } from "./controller-metrics.ts";
import type { Correlation } from "./correlation.ts";
import { decide, labelOf, type Outcome, type ReconcileEnd } from "./outcome.ts";
import type { ReportLimiter } from "./report-limiter.ts";
import { eventOf } from "./report-warning.ts";
import { ReconcileNotes } from "./reconcile-notes.ts";
import { reconcileContext, type FailureStreak } from "./reconcile-context.ts";
import { ReconcileLimiter } from "./reconcile-limiter.ts";
import { ReconcileTools, scopeOf, type WriteParts } from "./reconcile-tools.ts";
import { performStep } from "./step.ts";

/** A recorder of Kubernetes events, such as `EventRecorder`. */
export interface EventOutlet {
  /** Records an event about an object. Throws for an invalid event; must not wait for the API server. */
  record(object: EventSubject, record: EventRecord): void;
}

/** Dependencies that all reconciles of a controller share. */
export interface ReconcileParts extends WriteParts {
  readonly log: Logger;
  readonly tracing: Tracing;
  readonly events: EventOutlet | undefined;
  readonly meter: ControllerMeter;
  readonly correlation: Correlation | undefined;
  readonly recordsDetails: boolean;
  readonly timeoutMs: number;
  /** Source of reconcile IDs. */
  readonly ids: Random;
  readonly writesStatus: boolean;
  /** Limits how often the same event is recorded about an object. */
  readonly reports: ReportLimiter;
  /** Adds a finished or stuck reconcile to the history. */
  readonly onRecord: (key: string, record: ReconcileRecord) => void;
}

/** Result of one reconcile. */
export interface ReconcileReport {
  readonly outcome: Outcome;
  /** The primary object as cached when the reconcile started; undefined when it did not exist. */
  readonly object: Stored<KubeObject> | undefined;
  /** Purpose of the status write that failed; undefined when something else failed or the write had no stated purpose. */
  readonly statusWrite?: string | undefined;
  /** Adds the reconcile to the history. Called by the term, which knows when the next reconcile is due. */
  record(nextReconcileAt: number | undefined): void;
}

/**
 * One reconcile of one object. Created for a queue item, run once, and dropped.
 *
 * The order of the steps matters:
 *
 * 1. Read the primary object from the cache. Nothing to do if it does not exist, or if it is being deleted without our finalizer.
 * 2. Add the finalizer before the first side effect, so that nothing is created that no cleanup would remove.
 * 3. Call `reconcile`, or `cleanup` if the object is being deleted.
 * 4. Write the status, also after an error: the status should show the failure.
 * 5. After a finished cleanup, remove the finalizer last. The object may be deleted from that moment on, and with it its status.
 *
 * The timeout is cooperative: JavaScript cannot interrupt a function, so the signal aborts and the reconciler has one second to return. After
 * that the reconcile counts as stuck (see {@link ReconcileTask.stuck}) and is reported once; its eventual end is not counted a second time.
 */
export class ReconcileTask {
  readonly id: string;
  readonly log: Logger;
  readonly #parts: ReconcileParts;
  readonly #item: QueueItem;
  readonly #streak: FailureStreak | undefined;
  readonly #limiter: ReconcileLimiter;
  readonly #notes: ReconcileNotes;
  readonly #startedAt: number;
  readonly #startedMonotonic: number;
  #object: Stored<KubeObject> | undefined;
  #tools: ReconcileTools | undefined;
  #isCounted = false;
  #onStuck: () => void = () => undefined;
  /** Resolves when the reconciler has not returned a while after its signal aborted. */
  readonly stuck: Promise<void>;

  constructor(parts: ReconcileParts, item: QueueItem, streak: FailureStreak | undefined) {
    const { clock, ids, controller, log, timeoutMs, meter, recordsDetails } = parts;
    this.#parts = parts;
    this.#notes = new ReconcileNotes(recordsDetails ? new ReconcileReads() : undefined);
    this.#item = item;
    this.#streak = streak;
    this.id = uuid(ids);
    const { namespace = "", name } = parseKey(item.key);
    this.log = log.child({ controller: controller.name, namespace, name, reconcileID: this.id });
    this.#startedAt = clock.now();
    this.#startedMonotonic = clock.monotonic();
    this.stuck = new Promise((resolve) => {
      this.#onStuck = resolve;
    });
    this.#limiter = new ReconcileLimiter(clock, timeoutMs, {
      timedOut: () => meter.timedOut(),
      ignored: () => this.#reportStuck(),
    });
  }

  /** Aborts the signal of the reconcile because its term ends. */
  abort(reason: unknown): void {
    this.#limiter.abort(reason);
  }

  /** Performs the reconcile. Never rejects: errors become part of the report. */
  async run(): Promise<ReconcileReport> {
    this.#parts.meter.began();
    using _ = this.#limiter;
    const end = await this.#catching(() => this.#start());
    const outcome = decide(end, this.#limiter);
    this.#count(outcome);
    return {
      outcome,
      object: this.#object,
      statusWrite: end.at === "threw" ? this.#tools?.savePurposeOf(end.error) : undefined,
      record: (nextReconcileAt) => {
        if (end.at !== "nothing") this.#addToHistory(outcome.type, outcome, nextReconcileAt);
      },
    };
  }

  /** Records a Warning event about the object. An event that the recorder rejects is logged. */
  warn(record: Omit<EventRecord, "type" | "action">): void {
    this.#tryRecord({ ...record, type: "Warning" });
  }

  #tryRecord(record: Omit<EventRecord, "action">): void {
    if (this.#object === undefined) return;
    try {
      this.#record(this.#object, record);
    } catch (error) {
      this.log.warn("Failed to record event", { reason: record.reason, error });
    }
  }

  /** Reports whether there is anything to do: false for an object that is being deleted and has none of our finalizers. */
  #hasWork(object: Stored<KubeObject>): boolean {
    if (object.metadata.deletionTimestamp === undefined) return true;
    return this.#finalizers.some((finalizer) => hasFinalizer(object, finalizer));
  }

  /** Reads the object, and reconciles it within a span and a correlation if there is anything to do. */
  async #start(): Promise<ReconcileEnd> {
    const { controller, informers, tracing, correlation } = this.#parts;
    const { key, attempt } = this.#item;
    const object = informers.primary.get(key);
    this.#object = object;
    const { kind } = controller.definition.for;
    if (object === undefined) {
      this.log.debug("Object not found, likely deleted", { kind });
      return { at: "nothing" };
    }
    if (!this.#hasWork(object)) return { at: "nothing" };
    const { namespace = "", name } = object.metadata;
    const fields = {
      controller: controller.name,
      kind,
      namespace,
      name,
      generation: object.metadata.generation ?? 0,
      attempt,
      why: this.#item.reasons.join(", "),
      reconcileID: this.id,
    };
    // The trace has the ID of the reconcile, so that a log line, an event or an audit record leads to it.
    const options = { traceId: this.id.replaceAll("-", "") };
    const work = (): Promise<ReconcileEnd> =>
      tracing.span(`reconcile ${kind}`, fields, (span) => this.#work(object, span), options);
    return correlation === undefined
      ? work()
      : correlation.within({ id: this.id, controller: controller.name, key }, work, this.#notes.reads);
  }

  /** Calls the reconciler or the cleanup, with the finalizer and status writes around it. */
  async #work(object: Stored<KubeObject>, span: Span): Promise<ReconcileEnd> {
    const scope = scopeOf(this.#parts, {
      object,
      key: this.#item.key,
      journal: this.#notes,
      signal: this.#limiter.signal,
      log: this.log,
      report: (report) => this.#onWriteReport(report),
    });
    const end = await this.#catching(() =>
      object.metadata.deletionTimestamp === undefined ? this.#reconcile(scope, span) : this.#cleanUp(scope, span),
    );
    const outcome = decide(end, this.#limiter);
    span.set({ result: outcome.type, ...(outcome.type === "later" && { requeueAfterMs: outcome.afterMs }) });
    if (end.at === "threw" && outcome.type !== "broken-off") recordFailure(span, end.error);
    return end;
  }

  /** Adds the finalizer, calls the reconciler and writes the status. */
  async #reconcile(scope: ReconcileScope, span: Span): Promise<ReconcileEnd> {
    const { controller, tracing, informers } = this.#parts;
    const { definition } = controller;
    const { finalizer, formerFinalizers, addsFinalizer = true } = definition;
    let { object } = scope;
    if (finalizer !== undefined && addsFinalizer && !hasCurrentFinalizer(object, { finalizer, formerFinalizers })) {
      const held = await performStep(tracing, "finalizer", () =>
        ensureFinalizer(scope, finalizer, {
          formerly: formerFinalizers,
          annotations: firstInventory(
            informers.ownership.inventory,
            informers.managed.map(({ kind }) => kind),
          ),
        }),
      );
      if (held.result !== "held") return { at: "nothing" };
      ({ object } = held);
    }
    const tools = new ReconcileTools({ ...scope, object }, this.#parts, this.#notes);
    const end = await this.#call(() => definition.reconcile(this.#context(object, tools, span)));
    return this.#save(tools, end);
  }

  /** Calls the cleanup, writes the status, and removes the finalizers if the cleanup is done and the status was written. */
  async #cleanUp(scope: ReconcileScope, span: Span): Promise<ReconcileEnd> {
    const { controller, tracing } = this.#parts;
    const { definition } = controller;
    const tools = new ReconcileTools(scope, this.#parts, this.#notes);
    const end = await this.#call(() => definition.cleanup?.(this.#context(scope.object, tools, span)));
    const isDone = end.at === "returned" && end.isCleanedUp === true;
    const saved = await this.#save(tools, end);
    if (!isDone || decide(saved, this.#limiter).type !== "done") return saved;
    for (const finalizer of this.#finalizers) {
      if (!hasFinalizer(scope.object, finalizer)) continue;
      await performStep(tracing, "finalizer", () => releaseFinalizer(scope, finalizer));
    }
    return saved;
  }

  /** Turns a rejection into a {@link ReconcileEnd}. */
  async #catching(work: () => Promise<ReconcileEnd>): Promise<ReconcileEnd> {
    try {
      return await work();
    } catch (error) {
      return { at: "threw", error };
    } finally {
      this.#limiter.returned();
    }
  }

  /** Calls a function of the user. Tells apart a function that throws before it returns a promise: that is a bug of its author. */
  async #call(call: () => Promise<unknown> | undefined): Promise<ReconcileEnd> {
    let pending: Promise<unknown> | undefined;
    try {
      pending = call();
    } catch (error) {
      this.#limiter.returned();
      return { at: "threw", error, isSync: true };
    }
    try {
      const result = await pending;
      this.#limiter.returned();
      const afterMs = isRecord(result) ? result["requeueAfterMs"] : undefined;
      const requeueAfterMs = afterMs === undefined ? undefined : Number(afterMs);
      return { at: "returned", requeueAfterMs, isCleanedUp: result === "done" };
    } catch (error) {
      this.#limiter.returned();
      return { at: "threw", error };
    }
  }

  /**
   * Writes the status if it has changes, and sets or clears the error condition before. When the reconciler has failed and the status write
   * fails, too, the error of the reconciler is kept: it is the one to be fixed. Aborted reconciles write no status: leadership may be lost.
   */
  async #save(tools: ReconcileTools, end: ReconcileEnd): Promise<ReconcileEnd> {
    const { writesStatus, controller, tracing } = this.#parts;
    const outcome = decide(end, this.#limiter);
    if (outcome.type === "broken-off") return end;
    const { errorCondition } = controller.definition;
    try {
      if (errorCondition !== undefined && writesStatus) {
        if (outcome.type === "terminal") {
          const { reason, message } = outcome;
          tools.setCondition(errorCondition, { status: false, reason, message });
        } else if (end.at === "returned") tools.clearCondition(errorCondition);
      }
      if (writesStatus && tools.hasUnsaved)
        await performStep(tracing, "status", () => tools.saveStatus(this.#limiter.forSaving()));
      return end;
    } catch (error) {
      if (end.at !== "threw" && this.#limiter.deadline === undefined) return { at: "threw", error };
      this.log.warn("Failed to write status after a failed reconcile", { error });
      return end;
    }
  }

  #context(object: Stored<KubeObject>, tools: ReconcileTools, span: Span): ReconcileContext {
    this.#tools = tools;
    const { signal } = this.#limiter;
    const event = (note: EventNote): void => this.#record(object, note);
    const { id, log } = this;
    const rest = { item: this.#item, streak: this.#streak, id, log, signal, event, notes: this.#notes };
    return reconcileContext(this.#parts, { object, tools, span, ...rest });
  }

  #record(object: Stored<KubeObject>, note: EventNote): void {
    const { type = "Normal", action = "Reconcile", once, regarding = object, ...event } = note;
    if (once !== undefined && !this.#isDue(regarding, event, once)) return;
    const { reportingController } = this.#parts.controller.definition;
    const reporter = reportingController === undefined ? {} : { reportingController };
    const annotations = { [reconcileIdAnnotation]: this.id };
    this.#parts.events?.record(regarding, { ...event, ...reporter, annotations, type, action });
    this.#notes.recorded({ type, reason: event.reason });
  }

  /** Reports whether an event with the option `once` has not been recorded yet. */
  #isDue(
    { metadata: { uid = "", generation } }: DeepReadonly<KubeObject>,
    { reason, note }: Pick<EventNote, "reason" | "note">,
    once: NonNullable<EventNote["once"]>,
  ): boolean {
    const { reports } = this.#parts;
    if (once === "generation") return reports.isDue(uid, `${generation} ${reason} ${note}`, Infinity);
    return typeof once === "number"
      ? reports.isDue(uid, reason, once)
      : reports.isDue(uid, `${reason} ${note}`, once.noteMs);
  }

  /** Counts, logs and records as an event what a write of this reconcile has noticed: drift, field conflicts, hot loops. */
  #onWriteReport(report: WriteReport): void {
    const { meter, reports } = this.#parts;
    if (report.type === "hot-loop") meter.hotLoopDetected();
    if (report.type === "drift") {
      const { kind, object, drift } = report;
      meter.correctedDrift(kind);
      this.log.info("Corrected drift", { object, ...drift });
      this.#notes.corrected({ object, ...drift });
    }
    if (report.type === "conflict" && report.wasTaken) this.#notes.corrected(takenDrift(report));
    const isDue = !("kind" in report) || reports.isDue(this.#item.key, `${report.type} ${report.kind}`);
    if (isDue) this.#tryRecord(eventOf(report));
  }

  #count(outcome: Outcome): void {
    const { meter } = this.#parts;
    if (!this.#isCounted) meter.ended(labelOf(outcome), this.#durationMs);
    this.#isCounted = true;
    if (outcome.type === "terminal") meter.failedTerminally();
    if (outcome.type === "failed" && outcome.isPanic) meter.panicked();
  }

  /** Counts and logs the reconcile as failed while it is still running, because it may never return. */
  #reportStuck(): void {
    if (this.#isCounted) return;
    this.#isCounted = true;
    const { meter } = this.#parts;
    const { reason } = this.#limiter.signal;
    meter.ignoredSignal();
    meter.ended(this.#limiter.isAborted ? "requeue" : "error", this.#durationMs);
    this.log.error("Reconcile is stuck, reconciler ignores its abort signal", {
      error: reason,
      runningMs: this.#durationMs,
    });
    this.#addToHistory("stuck", { error: reason }, undefined);
    this.#onStuck();
  }

  #addToHistory(
    result: RecordedResult,
    ended: { readonly error?: unknown } | Outcome,
    nextReconcileAt: number | undefined,
  ): void {
    const { attempt, reasons, waitedMs } = this.#item;
    const { generation, resourceVersion } = this.#object?.metadata ?? {};
    const error = "error" in ended ? ended.error : undefined;
    this.#parts.onRecord(this.#item.key, {
      id: this.id,
      startedAt: this.#startedAt,
      durationMs: this.#durationMs,
      why: reasons,
      waitedMs,
      attempt,
      generation,
      resourceVersion,
      ...this.#notes.toRecord(),
      result,
      ...(error === undefined ? {} : { error: recordedError(error) }),
      ...(nextReconcileAt === undefined ? {} : { nextReconcileAt }),
    });
  }

  /** The finalizers that trigger the cleanup: the current one and those it replaces. */
  get #finalizers(): readonly string[] {
    const { finalizer, formerFinalizers = [] } = this.#parts.controller.definition;
    return finalizer === undefined ? [] : [finalizer, ...formerFinalizers];
  }

  get #durationMs(): number {
    return this.#parts.clock.monotonic() - this.#startedMonotonic;
  }
}

/** Returns the fields that were taken from other field managers as drift. */
function takenDrift({ object, conflicts }: WriteReport & { readonly type: "conflict" }): RecordedDrift {
  return {
    object,
    fields: conflicts.map(({ field }) => field),
    managers: [...new Set(conflicts.flatMap(({ manager }) => manager ?? []))],
    wasDeleted: false,
  };
}

/** Reports whether an object has the current finalizer and none of those it replaces. */
function hasCurrentFinalizer(
  object: Stored<KubeObject>,
  { finalizer, formerFinalizers = [] }: { finalizer: string; formerFinalizers: readonly string[] | undefined },
): boolean {
  return hasFinalizer(object, finalizer) && !formerFinalizers.some((former) => hasFinalizer(object, former));
}
