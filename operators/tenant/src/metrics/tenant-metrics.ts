import type { DeepReadonly } from "@homeostat/core";
import { Counter, Gauge, Histogram, type Registry } from "@homeostat/runtime";
import { conditionTypes } from "../api/conditions.ts";
import type { Phase, TenantStatus } from "../api/tenant.ts";

/** How something ended. */
export type Result = "success" | "failure";

/** What is known of a tenant. */
interface Known {
  readonly uid: string;
  phase: Phase;
  conditions: DeepReadonly<NonNullable<TenantStatus["conditions"]>>;
  /** When the password was last changed, in milliseconds since 1970. */
  rotatedAt: number | undefined;
  /** How much of the quota is used, by resource. */
  used: ReadonlyMap<string, number>;
  /** Whether its creation has been counted. */
  isCreated: boolean;
  /** The generation for which a failure has been counted. */
  failedGeneration: number | undefined;
}

/** From a tenth of a second to five minutes. */
const durationBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** What a pass has to tell. */
export interface Seen {
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly before: Phase | undefined;
  readonly phase: Phase;
  readonly conditions: DeepReadonly<NonNullable<TenantStatus["conditions"]>>;
}

/** The metrics of tenants (section 19). What a tenant says now is read when the metrics are shown. */
export class TenantMetrics {
  readonly #tenants = new Map<string, Known>();
  readonly #creations: Counter<"result"> = new Counter({
    name: "neurallog_tenant_creation_total",
    help: "Tenants that ran for the first time, or failed.",
    labels: ["result"],
  });
  readonly #deletions: Counter<"result"> = new Counter({
    name: "neurallog_tenant_deletion_total",
    help: "Tenants that are gone, or could not go.",
    labels: ["result"],
  });
  readonly #durations: Histogram<"phase"> = new Histogram({
    name: "neurallog_tenant_reconciliation_duration_seconds",
    help: "How long a pass over a tenant took.",
    labels: ["phase"],
    buckets: durationBuckets,
  });
  readonly #madeResources: Counter<"resource_type" | "result"> = new Counter({
    name: "neurallog_resource_creation_total",
    help: "Objects that were made for tenants.",
    labels: ["resource_type", "result"],
  });
  readonly #deletedResources: Counter<"resource_type" | "result"> = new Counter({
    name: "neurallog_resource_deletion_total",
    help: "Objects of tenants that were deleted.",
    labels: ["resource_type", "result"],
  });
  readonly #drift: Counter<"kind"> = new Counter({
    name: "neurallog_tenant_drift_corrected_total",
    help: "Objects of tenants that somebody had changed or deleted, and that were put right.",
    labels: ["kind"],
  });

  /** Takes note of what a tenant says after a pass. */
  saw({ name, uid, generation, before, phase, conditions }: Seen): void {
    const known = this.#of(name, uid);
    known.conditions = conditions;
    const isBeginning =
      before === undefined || before === "Pending" || before === "Provisioning" || before === "Failed";
    if (phase === "Running" && !known.isCreated) {
      // Of a tenant that ran before this process began, the creation is old news.
      if (isBeginning) this.#creations.inc({ result: "success" });
      known.isCreated = true;
    }
    if (phase === "Failed" && before !== "Failed" && known.failedGeneration !== generation) {
      known.failedGeneration = generation;
      this.#creations.inc({ result: "failure" });
    }
    known.phase = phase;
  }

  /** Takes note of when the password was changed, and of how much of the quota is used. */
  measured(
    name: string,
    { rotatedAt, used }: { readonly rotatedAt: number | undefined; readonly used: ReadonlyMap<string, number> },
  ): void {
    const known = this.#tenants.get(name);
    if (known !== undefined) Object.assign(known, { rotatedAt, used });
  }

  /** Takes note of how long a pass took. */
  passed(phase: Phase | undefined, seconds: number): void {
    this.#durations.observe({ phase: phase ?? "Pending" }, seconds);
  }

  madeResource(kind: string, result: Result): void {
    this.#madeResources.inc({ resource_type: kind, result });
  }

  deletedResource(kind: string, result: Result): void {
    this.#deletedResources.inc({ resource_type: kind, result });
  }

  corrected(kind: string): void {
    this.#drift.inc({ kind });
  }

  /** Takes note of a tenant that is gone, or cannot go. */
  deleted(result: Result): void {
    this.#deletions.inc({ result });
  }

  /** Forgets a tenant that is gone. */
  forget(name: string): void {
    this.#tenants.delete(name);
  }

  /** Forgets all: this process does not look after them any more. */
  clear(): void {
    this.#tenants.clear();
  }

  /** Shows everything in a registry. `now` tells the time in milliseconds since 1970. */
  register(registry: Registry, now: () => number): void {
    for (const metric of [
      this.#creations,
      this.#deletions,
      this.#durations,
      this.#madeResources,
      this.#deletedResources,
      this.#drift,
      this.#counts(),
      this.#conditions(),
      this.#conflicts(),
      this.#rotationAges(now),
      this.#quotas(),
    ]) {
      registry.register(metric);
    }
  }

  #of(name: string, uid: string): Known {
    const known = this.#tenants.get(name);
    if (known?.uid === uid) return known;
    const fresh: Known = {
      uid,
      phase: "Pending",
      conditions: [],
      rotatedAt: undefined,
      used: new Map(),
      isCreated: false,
      failedGeneration: undefined,
    };
    this.#tenants.set(name, fresh);
    return fresh;
  }

  #counts(): Gauge<"phase"> {
    const gauge = new Gauge({ name: "neurallog_tenant_count", help: "Tenants, by phase.", labels: ["phase"] });
    gauge.read((set) => {
      const counts = new Map<Phase, number>();
      for (const { phase } of this.#tenants.values()) counts.set(phase, (counts.get(phase) ?? 0) + 1);
      for (const [phase, count] of counts) set({ phase }, count);
    });
    return gauge;
  }

  #conditions(): Gauge<"tenant" | "condition"> {
    const gauge = new Gauge({
      name: "neurallog_tenant_condition",
      help: "Conditions of tenants: 1 for those that are true.",
      labels: ["tenant", "condition"],
    });
    gauge.read((set) => {
      for (const [tenant, { conditions }] of this.#tenants) {
        for (const condition of conditionTypes) {
          const found = conditions.find(({ type }) => type === condition);
          if (found !== undefined) set({ tenant, condition }, found.status === "True" ? 1 : 0);
        }
      }
    });
    return gauge;
  }

  #conflicts(): Gauge {
    const gauge = new Gauge({
      name: "neurallog_tenant_namespace_conflicts",
      help: "Tenants whose namespace is somebody else's.",
    });
    gauge.read((set) => {
      const inConflict = [...this.#tenants.values()].filter(({ conditions }) =>
        conditions.some(({ type, reason }) => type === "NamespaceReady" && reason === "NamespaceConflict"),
      );
      set(inConflict.length);
    });
    return gauge;
  }

  #rotationAges(now: () => number): Gauge<"tenant"> {
    const gauge = new Gauge({
      name: "neurallog_tenant_rotation_age_seconds",
      help: "How old the password of a tenant's Redis is.",
      labels: ["tenant"],
    });
    gauge.read((set) => {
      for (const [tenant, { rotatedAt }] of this.#tenants) {
        if (rotatedAt !== undefined) set({ tenant }, Math.max(0, now() - rotatedAt) / 1_000);
      }
    });
    return gauge;
  }

  #quotas(): Gauge<"tenant" | "resource"> {
    const gauge = new Gauge({
      name: "neurallog_tenant_quota_used_ratio",
      help: "How much of its quota a tenant uses, from 0 to 1.",
      labels: ["tenant", "resource"],
    });
    gauge.read((set) => {
      for (const [tenant, { used }] of this.#tenants) {
        for (const [resource, ratio] of used) set({ tenant, resource }, ratio);
      }
    });
    return gauge;
  }
}
