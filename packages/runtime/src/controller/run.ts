import { hasFinalizer, isRecord, type KubeObject, parseKey, type Random, type Stored, uuid } from "@homeostat/core";
import type { EventRecord, EventSubject } from "../events/make-event.ts";
import { type Flight, flightError, type FlightResult } from "../flight/flight.ts";
import type { Logger } from "../log/logger.ts";
import type { QueueItem } from "../queue/queue-item.ts";
import type { Span, Tracing } from "../tracing/tracing.ts";
import { ensureFinalizer, releaseFinalizer } from "../writes/finalizer.ts";
import type { RunScope, WriteReport } from "../writes/run-scope.ts";
import type { EventNote, ReconcileContext } from "./context.ts";
import type { ControllerMeter } from "./controller-metrics.ts";
import type { Correlation } from "./correlation.ts";
import { decide, labelOf, type Outcome, type RunEnd } from "./outcome.ts";
import type { ReportLimiter } from "./report-limiter.ts";
import { eventOf } from "./report-warning.ts";
import { RunNotes } from "./run-journal.ts";
import { reconcileContext, type Trouble } from "./run-context.ts";
import { RunLimiter } from "./run-limiter.ts";
import { RunTools, scopeOf, type WriteParts } from "./run-tools.ts";

/** Where events go. */
export interface EventOutlet {
  record(object: EventSubject, record: EventRecord): void;
}

/** What all runs of a controller have in common. */
export interface RunParts extends WriteParts {
  readonly log: Logger;
  readonly tracing: Tracing;
  readonly events: EventOutlet | undefined;
  readonly meter: ControllerMeter;
  readonly correlation: Correlation | undefined;
  readonly timeoutMs: number;
  /** Where the ids of runs come from. */
  readonly ids: Random;
  readonly writesStatus: boolean;
  /** Limits how often the same is reported as an event. */
  readonly reports: ReportLimiter;
  /** Takes down how a run went. */
  readonly onFlight: (key: string, flight: Flight) => void;
}

/** What came of a run. */
export interface RunReport {
  readonly outcome: Outcome;
  /** The object as the run found it; undefined when there was none. */
  readonly object: Stored<KubeObject> | undefined;
  /** The purpose of the status write that the reconcile failed with, if that is what failed and it had one. */
  readonly statusWrite?: string | undefined;
  /** Takes the run down once it is known when the next one is. */
  takeDown(nextRunAt: number | undefined): void;
}

/** One run of a reconciler for one object. Made, performed once, and dropped. */
export class Run {
  readonly id: string;
  readonly log: Logger;
  readonly #parts: RunParts;
  readonly #item: QueueItem;
  readonly #trouble: Trouble | undefined;
  readonly #limiter: RunLimiter;
  readonly #notes = new RunNotes();
  readonly #startedAt: number;
  readonly #startedMonotonic: number;
  #object: Stored<KubeObject> | undefined;
  #tools: RunTools | undefined;
  #isReported = false;
  #onStuck: () => void = () => undefined;
  /** Resolves when the reconciler does not return although its signal has aborted. */
  readonly stuck: Promise<void>;

  constructor(parts: RunParts, item: QueueItem, trouble: Trouble | undefined) {
    const { clock, ids, controller, log, timeoutMs, meter } = parts;
    this.#parts = parts;
    this.#item = item;
    this.#trouble = trouble;
    this.id = uuid(ids);
    const { namespace = "", name } = parseKey(item.key);
    this.log = log.child({ controller: controller.name, namespace, name, reconcileID: this.id });
    this.#startedAt = clock.now();
    this.#startedMonotonic = clock.monotonic();
    this.stuck = new Promise((resolve) => {
      this.#onStuck = resolve;
    });
    this.#limiter = new RunLimiter(clock, timeoutMs, {
      timedOut: () => meter.timedOut(),
      ignored: () => this.#reportStuck(),
    });
  }

  /** Ends the run because its term ends. */
  breakOff(reason: unknown): void {
    this.#limiter.breakOff(reason);
  }

  /** Does all there is to do. Never rejects. */
  async perform(): Promise<RunReport> {
    this.#parts.meter.began();
    using _ = this.#limiter;
    const end = await this.#calling(() => this.#begin());
    const outcome = decide(end, this.#limiter);
    this.#report(outcome);
    return {
      outcome,
      object: this.#object,
      statusWrite: end.at === "threw" ? this.#tools?.savePurposeOf(end.error) : undefined,
      takeDown: (nextRunAt) => {
        if (end.at !== "nothing") this.#takeDown(outcome.type, outcome, nextRunAt);
      },
    };
  }

  /** Records an event about the object; what the recorder does not take is logged. */
  warn(record: Omit<EventRecord, "type" | "action">): void {
    this.#tell({ ...record, type: "Warning" });
  }

  #tell(record: Omit<EventRecord, "action">): void {
    if (this.#object === undefined) return;
    try {
      this.#record(this.#object, record);
    } catch (error) {
      this.log.warn("An event could not be recorded", { reason: record.reason, error });
    }
  }

  /** Whether there is anything to do: not when an object is on its way out and nothing of it is ours to clear up. */
  #hasWork(object: Stored<KubeObject>): boolean {
    if (object.metadata.deletionTimestamp === undefined) return true;
    return this.#finalizers.some((finalizer) => hasFinalizer(object, finalizer));
  }

  /** Looks at the object, and at whether there is anything to do. */
  async #begin(): Promise<RunEnd> {
    const { controller, informers, tracing, correlation } = this.#parts;
    const { key, attempt } = this.#item;
    const object = informers.primary.get(key);
    this.#object = object;
    const { kind } = controller.definition.for;
    if (object === undefined) {
      this.log.debug(`${kind} not found, likely deleted`);
      return { at: "nothing" };
    }
    if (!this.#hasWork(object)) return { at: "nothing" };
    const { namespace = "", name } = object.metadata;
    const fields = { controller: controller.name, kind, namespace, name, attempt, reconcileID: this.id };
    const work = (): Promise<RunEnd> => tracing.span("reconcile", fields, (span) => this.#work(object, span));
    return correlation === undefined
      ? work()
      : correlation.within({ id: this.id, controller: controller.name, key }, work);
  }

  /** Finalizer, reconciler or cleanup, status. */
  async #work(object: Stored<KubeObject>, span: Span): Promise<RunEnd> {
    const scope = scopeOf(this.#parts, {
      object,
      key: this.#item.key,
      journal: this.#notes,
      signal: this.#limiter.signal,
      log: this.log,
      report: (report) => this.#hear(report),
    });
    const end = await this.#calling(() =>
      object.metadata.deletionTimestamp === undefined ? this.#reconcile(scope, span) : this.#cleanUp(scope, span),
    );
    if (end.at === "threw") span.failed(end.error);
    return end;
  }

  /** The finalizer comes before the first side effect, so that nothing is left behind that nobody clears up. */
  async #reconcile(scope: RunScope, span: Span): Promise<RunEnd> {
    const { controller, informers } = this.#parts;
    const { definition } = controller;
    const { finalizer, formerFinalizers } = definition;
    let { object } = scope;
    if (finalizer !== undefined && !holds(object, { finalizer, formerFinalizers })) {
      const held = await ensureFinalizer(scope, finalizer, { formerly: formerFinalizers });
      if (held.result !== "held") return { at: "nothing" };
      ({ object } = held);
    }
    const tools = new RunTools({ ...scope, object }, informers);
    const end = await this.#call(() => definition.reconcile(this.#context(object, tools, span)));
    return this.#save(tools, end);
  }

  /** The finalizer goes after everything is cleared up and the status says so. */
  async #cleanUp(scope: RunScope, span: Span): Promise<RunEnd> {
    const { controller, informers } = this.#parts;
    const { definition } = controller;
    const tools = new RunTools(scope, informers);
    const end = await this.#call(() => definition.cleanup?.(this.#context(scope.object, tools, span)));
    const isDone = end.at === "returned" && end.isCleared === true;
    const saved = await this.#save(tools, end);
    if (!isDone || decide(saved, this.#limiter).type !== "done") return saved;
    for (const finalizer of this.#finalizers) {
      if (hasFinalizer(scope.object, finalizer)) await releaseFinalizer(scope, finalizer);
    }
    return saved;
  }

  /** What is thrown on the way is an end, too. */
  async #calling(work: () => Promise<RunEnd>): Promise<RunEnd> {
    try {
      return await work();
    } catch (error) {
      return { at: "threw", error };
    } finally {
      this.#limiter.returned();
    }
  }

  /** Calls a function of the user, whatever that does. */
  async #call(call: () => Promise<unknown> | undefined): Promise<RunEnd> {
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
      return { at: "returned", requeueAfterMs, isCleared: result === "done" };
    } catch (error) {
      this.#limiter.returned();
      return { at: "threw", error };
    }
  }

  /** Writes the status once. Of two errors the first counts. */
  async #save(tools: RunTools, end: RunEnd): Promise<RunEnd> {
    const { writesStatus, controller } = this.#parts;
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
      if (writesStatus && tools.hasUnsaved) await tools.saveStatus(this.#limiter.forSaving());
      return end;
    } catch (error) {
      if (end.at !== "threw" && this.#limiter.deadline === undefined) return { at: "threw", error };
      this.log.warn("The status could not be written after a run that failed", { error });
      return end;
    }
  }

  #context(object: Stored<KubeObject>, tools: RunTools, span: Span): ReconcileContext {
    this.#tools = tools;
    const { signal } = this.#limiter;
    const event = (note: EventNote): void => this.#record(object, note);
    const { id, log } = this;
    const about = { item: this.#item, trouble: this.#trouble, id, log, signal, event };
    return reconcileContext(this.#parts, { object, tools, span, ...about });
  }

  #record(object: Stored<KubeObject>, { type = "Normal", action = "Reconcile", once, ...event }: EventNote): void {
    if (once !== undefined && !this.#isDue(object, event, once)) return;
    const { reportingController } = this.#parts.controller.definition;
    const reporter = reportingController === undefined ? {} : { reportingController };
    this.#parts.events?.record(object, { ...event, ...reporter, type, action });
    this.#notes.recorded({ type, reason: event.reason });
  }

  #isDue(
    { metadata: { uid, generation } }: Stored<KubeObject>,
    { reason, note }: Pick<EventNote, "reason" | "note">,
    once: NonNullable<EventNote["once"]>,
  ): boolean {
    const { reports } = this.#parts;
    if (once === "generation") return reports.isDue(uid, `${generation} ${reason} ${note}`, Infinity);
    return reports.isDue(uid, reason, once);
  }

  /** Tells people of what the writes of the run found out. */
  #hear(report: WriteReport): void {
    const { meter, reports } = this.#parts;
    if (report.type === "hot-loop") meter.looped();
    if (report.type === "drift") {
      const { kind, object, drift } = report;
      meter.correctedDrift(kind);
      this.log.info("Corrected drift", { object, ...drift });
    }
    const isDue = !("kind" in report) || reports.isDue(this.#item.key, `${report.type} ${report.kind}`);
    if (isDue) this.#tell(eventOf(report));
  }

  #report(outcome: Outcome): void {
    const { meter } = this.#parts;
    if (!this.#isReported) meter.ended(labelOf(outcome), this.#durationMs);
    this.#isReported = true;
    if (outcome.type === "terminal") meter.failedForGood();
    if (outcome.type === "failed" && outcome.isPanic) meter.panicked();
  }

  /** Says that the run has failed although it goes on, as nobody knows for how long. */
  #reportStuck(): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const { meter } = this.#parts;
    const { reason } = this.#limiter.signal;
    meter.ignoredSignal();
    meter.ended(this.#limiter.isBrokenOff ? "requeue" : "error", this.#durationMs);
    this.log.error("The reconciler goes on although its signal has aborted; its object has to wait for it", {
      error: reason,
      runningMs: this.#durationMs,
    });
    this.#takeDown("stuck", { error: reason }, undefined);
    this.#onStuck();
  }

  #takeDown(result: FlightResult, ended: { readonly error?: unknown } | Outcome, nextRunAt: number | undefined): void {
    const { attempt, reasons, waitedMs } = this.#item;
    const { generation, resourceVersion } = this.#object?.metadata ?? {};
    const error = "error" in ended ? ended.error : undefined;
    this.#parts.onFlight(this.#item.key, {
      id: this.id,
      startedAt: this.#startedAt,
      durationMs: this.#durationMs,
      why: reasons,
      waitedMs,
      attempt,
      generation,
      resourceVersion,
      ...this.#notes.toFlight(),
      result,
      ...(error === undefined ? {} : { error: flightError(error) }),
      ...(nextRunAt === undefined ? {} : { nextRunAt }),
    });
  }

  /** Those by which the controller keeps an object until it is cleared up. */
  get #finalizers(): readonly string[] {
    const { finalizer, formerFinalizers = [] } = this.#parts.controller.definition;
    return finalizer === undefined ? [] : [finalizer, ...formerFinalizers];
  }

  get #durationMs(): number {
    return this.#parts.clock.monotonic() - this.#startedMonotonic;
  }
}

/** Whether an object has the finalizer, and none that it takes the place of. */
function holds(
  object: Stored<KubeObject>,
  { finalizer, formerFinalizers = [] }: { finalizer: string; formerFinalizers: readonly string[] | undefined },
): boolean {
  return hasFinalizer(object, finalizer) && !formerFinalizers.some((former) => hasFinalizer(object, former));
}
