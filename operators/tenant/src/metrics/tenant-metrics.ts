import { Counter, type DeepReadonly, Gauge, Histogram } from "homeostat";
import type { Metric, Registry } from "@homeostat/runtime";
import type { Phase, TenantStatus } from "../api/tenant.ts";

type Conditions = DeepReadonly<NonNullable<TenantStatus["conditions"]>>;

/** The phase of a tenant after a reconcile. */
export interface PhaseRecord {
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  /** The phase before the reconcile. */
  readonly previous: Phase | undefined;
  readonly phase: Phase;
  readonly conditions: Conditions;
}

interface Usage {
  /** Time of the last password rotation, in milliseconds since 1970. */
  readonly rotatedAt: number | undefined;
  /** The used share of the quota by resource. */
  readonly quota: ReadonlyMap<string, number>;
}

interface TenantRecord {
  readonly uid: string;
  phase: Phase;
  conditions: Conditions;
  usage: Usage;
  /** True once its creation is counted. */
  isCreated: boolean;
  /** The generation for which a failure is counted. */
  failedGeneration: number | undefined;
}

/** Phases of a tenant that has not run yet. */
const initialPhases: ReadonlySet<Phase | undefined> = new Set([undefined, "Pending", "Provisioning", "Failed"]);

/** The metrics of tenants. Gauges are read from the last reconcile of each tenant when they are scraped. */
export class TenantMetrics {
  readonly #tenants = new Map<string, TenantRecord>();
  readonly #creations = new Counter({
    name: "neurallog_tenant_creation_total",
    help: "Total number of tenant creations by result: success when first Running, failure when Failed.",
    labels: ["result"],
  });
  readonly deletions: Counter<"result"> = new Counter({
    name: "neurallog_tenant_deletion_total",
    help: "Total number of tenant deletions by result.",
    labels: ["result"],
  });
  readonly durations: Histogram<"phase"> = new Histogram({
    name: "neurallog_tenant_reconciliation_duration_seconds",
    help: "Duration of tenant reconciles in seconds, by resulting phase.",
    labels: ["phase"],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  });
  readonly objectCreations: Counter<"resource_type" | "result"> = new Counter({
    name: "neurallog_resource_creation_total",
    help: "Total number of creations of tenant objects, by kind and result.",
    labels: ["resource_type", "result"],
  });
  readonly objectDeletions: Counter<"resource_type" | "result"> = new Counter({
    name: "neurallog_resource_deletion_total",
    help: "Total number of deletions of tenant objects, by kind and result.",
    labels: ["resource_type", "result"],
  });
  readonly drift: Counter<"kind"> = new Counter({
    name: "neurallog_tenant_drift_corrected_total",
    help: "Total number of drift corrections of tenant objects, by kind.",
    labels: ["kind"],
  });

  /** Records the phase of a tenant; counts its creation once and a failure once per generation. */
  recordPhase({ name, uid, generation, previous, phase, conditions }: PhaseRecord): void {
    const record = this.#recordOf(name, uid);
    record.conditions = conditions;
    record.phase = phase;
    if (phase === "Running" && !record.isCreated) {
      // The creation of a tenant that ran before this process started is not counted again.
      if (initialPhases.has(previous)) this.#creations.inc({ result: "success" });
      record.isCreated = true;
    }
    if (phase === "Failed" && previous !== "Failed" && record.failedGeneration !== generation) {
      record.failedGeneration = generation;
      this.#creations.inc({ result: "failure" });
    }
  }

  recordUsage(name: string, usage: Usage): void {
    const record = this.#tenants.get(name);
    if (record !== undefined) record.usage = usage;
  }

  /** Forgets a deleted tenant. */
  forget(name: string): void {
    this.#tenants.delete(name);
  }

  /** Forgets all tenants, when this process stops leading. */
  clear(): void {
    this.#tenants.clear();
  }

  /** Registers all metrics. `now` returns milliseconds since 1970. */
  register(registry: Registry, now: () => number): void {
    const counters = [this.#creations, this.deletions, this.objectCreations, this.objectDeletions, this.drift];
    for (const metric of [...counters, this.durations, ...this.#gauges(now)]) registry.register(metric);
  }

  #gauges(now: () => number): readonly Metric[] {
    const tenants = this.#tenants;
    return [
      new Gauge({
        name: "neurallog_tenant_count",
        help: "Number of tenants by phase.",
        labels: ["phase"],
        read(set) {
          const counts = new Map<Phase, number>();
          for (const { phase } of tenants.values()) counts.set(phase, (counts.get(phase) ?? 0) + 1);
          for (const [phase, count] of counts) set({ phase }, count);
        },
      }),
      new Gauge({
        name: "neurallog_tenant_condition",
        help: "Conditions of tenants: 1 if True, otherwise 0.",
        labels: ["tenant", "condition"],
        read(set) {
          for (const [tenant, { conditions }] of tenants) {
            for (const { type, status } of conditions) set({ tenant, condition: type }, status === "True" ? 1 : 0);
          }
        },
      }),
      new Gauge({
        name: "neurallog_tenant_namespace_conflicts",
        help: "Number of tenants whose namespace belongs to another owner.",
        read: (set) => set([...tenants.values()].filter(hasNamespaceConflict).length),
      }),
      new Gauge({
        name: "neurallog_tenant_rotation_age_seconds",
        help: "Age of the Redis password in seconds.",
        labels: ["tenant"],
        read(set) {
          for (const [tenant, { usage }] of tenants) {
            if (usage.rotatedAt !== undefined) set({ tenant }, Math.max(0, now() - usage.rotatedAt) / 1_000);
          }
        },
      }),
      new Gauge({
        name: "neurallog_tenant_quota_used_ratio",
        help: "Used fraction of the tenant quota, from 0 to 1.",
        labels: ["tenant", "resource"],
        read(set) {
          for (const [tenant, { usage }] of tenants) {
            for (const [resource, ratio] of usage.quota) set({ tenant, resource }, ratio);
          }
        },
      }),
    ];
  }

  #recordOf(name: string, uid: string): TenantRecord {
    const known = this.#tenants.get(name);
    if (known?.uid === uid) return known;
    const record: TenantRecord = {
      uid,
      phase: "Pending",
      conditions: [],
      usage: { rotatedAt: undefined, quota: new Map() },
      isCreated: false,
      failedGeneration: undefined,
    };
    this.#tenants.set(name, record);
    return record;
  }
}

function hasNamespaceConflict({ conditions }: TenantRecord): boolean {
  return conditions.some(({ type, reason }) => type === "NamespaceReady" && reason === "NamespaceConflict");
}
