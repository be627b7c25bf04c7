import type { DeepReadonly, EventNote, Stored } from "homeostat";
import { findCondition, type Random } from "@homeostat/core";
import { namespaceOf } from "../api/names.ts";
import type { ConditionType } from "../api/status.ts";
import type { Phase, Tenant, TenantCondition, TenantStatus } from "../api/tenant.ts";
import { type ResolvedTenant, resolveTenant } from "../build/resolve.ts";
import type { SecureBytes } from "../build/credentials.ts";
import type { TenantMetrics } from "../metrics/tenant-metrics.ts";
import type { TenantSettings } from "../settings/settings.ts";
import { deriveStatus, type Outcome, type StatusInput } from "../status/status.ts";
import { events } from "./events.ts";
import { Failures } from "./failures.ts";
import type { Context } from "../observe/kinds.ts";

/** Dependencies that all reconciles share. */
export interface Dependencies {
  readonly settings: () => TenantSettings;
  readonly metrics: TenantMetrics;
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
  /** The API server's time at the start of the reconcile. All times of the status and of observed objects are of that clock. */
  readonly now: number;
  /** The status before this reconcile. */
  readonly status: DeepReadonly<TenantStatus>;
  /** The namespace of the tenant, which may not exist yet. */
  readonly namespace: string;
  readonly failures: Failures = new Failures();
  #resolved: ResolvedTenant | undefined;

  constructor(runtime: Context, dependencies: Dependencies) {
    this.runtime = runtime;
    this.dependencies = dependencies;
    this.settings = dependencies.settings();
    this.tenant = runtime.object;
    this.now = runtime.serverClock.now();
    this.status = this.tenant.status ?? {};
    this.namespace = this.status.namespace ?? namespaceOf(runtime.name);
  }

  get name(): string {
    return this.runtime.name;
  }

  get generation(): number {
    return this.tenant.metadata.generation ?? 0;
  }

  /** The resolved spec. Only for tenants that have passed the structural rules. */
  get resolved(): ResolvedTenant {
    this.#resolved ??= resolveTenant(this.tenant, this.settings, this.namespace);
    return this.#resolved;
  }

  get statusInput(): StatusInput {
    const { name, generation, now, status: previous } = this;
    return { name, generation, now, previous };
  }

  /** Returns a condition of the status before this reconcile. */
  condition(type: ConditionType): DeepReadonly<TenantCondition> | undefined {
    return findCondition(this.status.conditions ?? [], type);
  }

  /** Writes the status that follows from the outcome, then records events about changes of the phase. */
  async writeStatus(outcome: Outcome): Promise<void> {
    const plan = deriveStatus(outcome, this.statusInput);
    this.runtime.setStatusPlan(plan);
    await this.runtime.saveStatus();
    const { phase = "Pending", message = "" } = plan.fields;
    if (phase !== this.status.phase) this.runtime.recordDecision("phase", `${this.status.phase ?? "none"} → ${phase}`);
    this.#reportPhase(phase, message);
    this.recordPhase(phase);
  }

  event(note: EventNote): void {
    this.runtime.event(note);
  }

  /** Records an event at most once per generation of the tenant. */
  eventOnce(note: EventNote): void {
    this.event({ ...note, once: "generation" });
  }

  /** Counts the phase, and the conditions that were written last, in the metrics. */
  recordPhase(phase: Phase): void {
    const { name, generation, status, runtime } = this;
    const { uid } = this.tenant.metadata;
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
