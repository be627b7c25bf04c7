import { asStored, type DeepReadonly, type Stored } from "@homeostat/core";
import type { EventNote, ReconcileResult } from "@homeostat/runtime";
import type { ConditionType } from "../api/conditions.ts";
import type { Role } from "../api/identity.ts";
import { LocustTest, type LocustTestStatus, type Phase } from "../api/locust-test.ts";
import { nodeName } from "../api/names.ts";
import type { Plan } from "../build/objects.ts";
import type { OperatorConfig } from "../settings/settings.ts";
import type { TestMetrics } from "../metrics/test-metrics.ts";
import type { StatusPlan } from "../status/plan.ts";
import { OutdatedViewError } from "./errors.ts";
import type { Context } from "./kinds.ts";
import type { LiveStats } from "../live/live-stats.ts";

/** What all passes have in common. */
export interface Parts {
  readonly config: OperatorConfig;
  readonly live: LiveStats;
  readonly metrics: TestMetrics;
}

/** What comes after a pass. */
export type Next = ReconcileResult | undefined;

/** One look at one test: what it says, and what is to be said about it. */
export class Pass {
  readonly context: Context;
  readonly parts: Parts;
  readonly now: number;
  /** The phases that the test may have on the server without this pass being built on an error. */
  readonly #phases: Set<Phase | undefined>;
  #test: Stored<LocustTest>;
  /** Whether the server has confirmed, in this pass, where the test stands. */
  #isConfirmed = false;

  constructor(context: Context, parts: Parts) {
    this.context = context;
    this.parts = parts;
    this.now = context.clock.now();
    this.#test = context.object;
    this.#phases = new Set([context.object.status?.phase]);
    // Every write of this pass is on condition that nobody has taken the test further meanwhile.
    context.setStatus((status) => {
      if (!this.#phases.has(status?.phase)) throw new OutdatedViewError(context.key);
      return {};
    });
  }

  /** The test, with what this pass has written. */
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

  /** What the objects of the present run are made from. */
  get plan(): Plan {
    return { test: this.#test, config: this.parts.config, run: this.run };
  }

  /** How long finished Jobs are kept; undefined for as long as nobody deletes them. */
  get ttlSeconds(): number | undefined {
    return this.#test.spec.ttlSecondsAfterFinished ?? this.parts.config.jobTtlSeconds;
  }

  /** The generation that the objects of the run were made from; that of tests made by other operators can be told, too. */
  get startedGeneration(): number | undefined {
    const { startedGeneration, observedGeneration, conditions = [] } = this.status;
    if (startedGeneration !== undefined || this.phase === "Pending") return startedGeneration;
    return conditions.some(({ type }) => type === "SpecDrifted") ? 1 : observedGeneration;
  }

  /** What the Service and the Job of a role are called. */
  nodeName(role: Role): string {
    return nodeName(this.context.name, role);
  }

  /** Says something about the status, which is written at the end of the pass or by {@link save}. */
  say({ fields, conditions }: StatusPlan): void {
    const { context } = this;
    if (fields.phase !== undefined) this.#phases.add(fields.phase);
    context.setStatus(fields);
    for (const [type, wish] of Object.entries(conditions)) {
      if (!isConditionType(type)) continue;
      if (wish === undefined) context.removeCondition(type);
      else context.setCondition(type, wish);
    }
  }

  /** Writes what was said, now, if anything is different. `what` is logged if that fails. */
  async save(what: string): Promise<void> {
    const { context } = this;
    try {
      await context.saveStatus();
    } catch (error) {
      context.log.error(what, { error });
      throw error;
    }
    this.#isConfirmed = true;
    const known = context.all.get(context.key);
    if (known?.metadata.uid === this.#test.metadata.uid) this.#test = known;
  }

  /**
   * Sees to it that the test stands where this pass takes it to stand, before something is done that could not be undone.
   *
   * The cache may be behind: another process has perhaps run this test to its end. A write of the status in this pass has
   * settled that already.
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

const known: ReadonlySet<string> = new Set<ConditionType>([
  "Ready",
  "WorkersConnected",
  "TestCompleted",
  "PodsHealthy",
  "SpecDrifted",
  "LiveStats",
]);

function isConditionType(type: string): type is ConditionType {
  return known.has(type);
}
