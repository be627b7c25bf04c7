import type { DeepReadonly, EventNote, ReconcileResult, StatusPlan } from "homeostat";
import { asStored, type Stored } from "@homeostat/core";
import { LocustTest, type LocustTestStatus, type Phase } from "../api/locust-test.ts";
import { nodeName, type Role } from "../api/names.ts";
import type { BuildInput } from "../build/objects.ts";
import type { LivePoller } from "../live/live-poller.ts";
import type { TestMetrics } from "../metrics/test-metrics.ts";
import type { Context } from "../observe/kinds.ts";
import type { ObserveScope } from "../observe/scope.ts";
import type { WarningEvents } from "../observe/warning-events.ts";
import type { Settings } from "../settings/settings.ts";
import { OutdatedViewError } from "./errors.ts";

export interface Dependencies {
  readonly settings: Settings;
  /** Returns the poller of the manager that runs the controller. */
  readonly live: () => LivePoller;
  readonly metrics: TestMetrics;
  readonly warningEvents: WarningEvents;
}

/** Requeue request; undefined to wait for the next change. */
export type Next = ReconcileResult | undefined;

/** One reconcile of one test: its context, the test as this reconcile has written it, and the operator's dependencies. */
export class TestScope implements ObserveScope {
  readonly context: Context;
  readonly settings: Settings;
  readonly live: LivePoller;
  readonly metrics: TestMetrics;
  readonly warningEvents: WarningEvents;
  /** The API server's time at the start of the reconcile. All times of the status and of observed objects are of that clock. */
  readonly now: number;
  readonly #phases = new Set<Phase | undefined>();
  #test: Stored<LocustTest>;
  /** True once the API server has confirmed the phase in this reconcile. */
  #isConfirmed = false;

  constructor(context: Context, { settings, live, metrics, warningEvents }: Dependencies) {
    this.context = context;
    this.settings = settings;
    this.live = live();
    this.metrics = metrics;
    this.warningEvents = warningEvents;
    this.now = context.serverClock.now();
    this.#test = context.object;
    // NoWriteFromOutdatedView: every status write requires the phase that this reconcile started from or has set itself.
    context.requireStatus(
      (status) => this.#phases.has(status?.phase),
      () => new OutdatedViewError(context.key),
    );
    this.#phases.add(context.object.status?.phase);
  }

  get test(): Stored<LocustTest> {
    return this.#test;
  }

  get status(): DeepReadonly<LocustTestStatus> {
    return this.#test.status ?? {};
  }

  get phase(): Phase | undefined {
    return this.status.phase;
  }

  get run(): number {
    return this.status.run ?? 1;
  }

  get generation(): number {
    return this.#test.metadata.generation ?? 0;
  }

  get buildInput(): BuildInput {
    return { test: this.#test, settings: this.settings, run: this.run };
  }

  /** The TTL of finished Jobs; undefined keeps them. */
  get ttlSeconds(): number | undefined {
    return this.#test.spec.ttlSecondsAfterFinished ?? this.settings.jobTtlSeconds;
  }

  /** The generation that the run's objects were created from. Tests of the Go operator do not record it, but it can be derived. */
  get startedGeneration(): number | undefined {
    const { startedGeneration, observedGeneration, conditions = [] } = this.status;
    if (startedGeneration !== undefined || this.phase === "Pending") return startedGeneration;
    return conditions.some(({ type }) => type === "SpecDrifted") ? 1 : observedGeneration;
  }

  /** Returns the name of the Job, and of the Service, of a role. */
  nodeName(role: Role): string {
    return nodeName(this.context.name, role);
  }

  /** Adds to the status, which is written at the end of the reconcile or by {@link save}. */
  setStatus({ fields = {}, conditions = {} }: Partial<StatusPlan<LocustTest>>): void {
    if (fields.phase !== undefined) this.#phases.add(fields.phase);
    this.context.setStatusPlan({ fields, conditions });
  }

  async save(purpose: string): Promise<void> {
    await this.context.saveStatus({ purpose });
    this.#isConfirmed = true;
    const known = this.context.all.get(this.context.key);
    if (known?.metadata.uid === this.#test.metadata.uid) this.#test = known;
  }

  /**
   * Checks that the test has the phase and run that this reconcile assumes, before an action that cannot be undone.
   *
   * The cache may be outdated: another process may have finished this test. A successful status write in this reconcile is a
   * confirmation as well, because `requireStatus` of the context checks the phase.
   */
  async confirm(): Promise<void> {
    if (this.#isConfirmed) return;
    const { client, key, namespace, name, signal } = this.context;
    const live = await client.get(LocustTest, { namespace, name }, { signal });
    const isSame =
      live !== undefined &&
      live.metadata.uid === this.#test.metadata.uid &&
      live.status?.phase === this.phase &&
      (live.status?.run ?? 1) === this.run;
    if (!isSame) throw new OutdatedViewError(key);
    this.#test = asStored(live);
    this.#isConfirmed = true;
  }

  event(note: EventNote): void {
    this.context.event(note);
  }
}
