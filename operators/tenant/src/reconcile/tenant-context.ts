import type { DeepReadonly } from "homeostat";
import type { Random, Stored } from "@homeostat/core";
import type { EventNote } from "@homeostat/runtime";
import { namespaceOf } from "../api/names.ts";
import type { ConditionType } from "../api/status.ts";
import type { Phase, Tenant, TenantStatus } from "../api/tenant.ts";
import type { SecureBytes } from "../decide/credentials.ts";
import type { TenantMetrics } from "../metrics/tenant-metrics.ts";
import type { TenantSettings } from "../settings/settings.ts";
import { deriveStatus, type Outcome, type StatusInput } from "../status/status.ts";
import type { EventDeduplicator } from "./event-deduplicator.ts";
import { events } from "./events.ts";
import type { Context } from "./kinds.ts";

/** What all reconciles share. */
export interface Dependencies {
  readonly settings: () => TenantSettings;
  readonly metrics: TenantMetrics;
  readonly deduplicator: EventDeduplicator;
  readonly random: Random;
  /** The source of passwords. */
  readonly secureBytes: SecureBytes;
}

/** One reconcile of one tenant: its object and previous status, and how to report events and the new status. */
export class TenantContext {
  readonly runtime: Context;
  readonly dependencies: Dependencies;
  readonly settings: TenantSettings;
  readonly tenant: Stored<Tenant>;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly now: number;
  /** The status before this reconcile. */
  readonly status: DeepReadonly<TenantStatus>;
  /** The namespace that the tenant has, or is to have. */
  readonly namespace: string;

  constructor(runtime: Context, dependencies: Dependencies) {
    const { object: tenant, name, clock } = runtime;
    this.runtime = runtime;
    this.dependencies = dependencies;
    this.settings = dependencies.settings();
    this.tenant = tenant;
    this.name = name;
    this.uid = tenant.metadata.uid;
    this.generation = tenant.metadata.generation ?? 0;
    this.now = clock.now();
    this.status = tenant.status ?? {};
    this.namespace = this.status.namespace ?? namespaceOf(name);
  }

  get statusInput(): StatusInput {
    const { name, generation, now, status: previous } = this;
    return { name, generation, now, previous };
  }

  /** A condition of the status before this reconcile. */
  condition(type: ConditionType): NonNullable<DeepReadonly<TenantStatus>["conditions"]>[number] | undefined {
    return this.status.conditions?.find((condition) => condition.type === type);
  }

  /** Writes the status that follows from the outcome, then records events about changes of the phase. */
  async writeStatus(outcome: Outcome): Promise<void> {
    const plan = deriveStatus(outcome, this.statusInput);
    this.runtime.setStatusPlan(plan);
    await this.runtime.saveStatus();
    const { phase = "Pending", message = "" } = plan.fields;
    this.#reportPhase(phase, message);
    this.recordPhase(phase);
  }

  event(note: EventNote): void {
    this.runtime.event(note);
  }

  /** Records an event at most once per generation of the tenant. */
  eventOnce(note: EventNote): void {
    const { uid, generation, now } = this;
    const event = `${generation} ${note.reason} ${note.note}`;
    if (this.dependencies.deduplicator.isDue({ uid, event, now })) this.event(note);
  }

  /** Counts the phase, and the conditions that were written last, in the metrics. */
  recordPhase(phase: Phase): void {
    const { name, uid, generation, status, runtime } = this;
    const conditions = (runtime.all.get(runtime.key)?.status ?? status).conditions ?? [];
    this.dependencies.metrics.recordPhase({ name, uid, generation, previous: status.phase, phase, conditions });
  }

  #reportPhase(phase: Phase, message: string): void {
    const previous = this.status.phase;
    const isHibernating = this.tenant.spec.hibernation?.enabled === true;
    if (this.condition("Paused")?.status === "True") this.event(events.unpaused);
    if (previous === "Hibernated" && phase !== "Hibernated" && !isHibernating) this.event(events.resumed);
    if (phase === previous) return;
    if (phase === "Running") this.event(events.running);
    if (phase === "Hibernated") this.event(events.hibernated);
    if (phase === "Degraded") this.eventOnce(events.degraded(message));
    if (phase === "Failed" && this.condition("NamespaceReady")?.reason !== "NamespaceConflict") {
      this.eventOnce(events.failed(message));
    }
  }
}
