import { Counter, type DeepReadonly, Gauge, Histogram } from "homeostat";
import type { Metric, Registry } from "@homeostat/runtime";
import type { ClusterStatus } from "../api/chronik-cluster.ts";
import { components } from "../api/identity.ts";
import { phases } from "../api/status.ts";

const counts = { controller: "controllers", ingest: "ingestNodes", search: "searchNodes" } as const;

interface ClusterRecord {
  readonly namespace: string;
  readonly cluster: string;
  readonly status: DeepReadonly<ClusterStatus>;
  /** Time of the last successful reconcile, in milliseconds since 1970. */
  readonly succeededAt: number | undefined;
}

/** The metrics of clusters. Gauges are read from the last status of each cluster when they are scraped. */
export class ChronikMetrics {
  readonly #clusters = new Map<string, ClusterRecord>();
  readonly reconciliations: Counter<"controller" | "result"> = new Counter({
    name: "chronik_operator_reconciliations_total",
    help: "Total number of reconciles by result.",
    labels: ["controller", "result"],
  });
  readonly durations: Histogram<"controller"> = new Histogram({
    name: "chronik_operator_reconciliation_duration_seconds",
    help: "Duration of reconciles in seconds.",
    labels: ["controller"],
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60],
  });
  readonly steps: Histogram<"step"> = new Histogram({
    name: "chronik_operator_step_duration_seconds",
    help: "Duration of the steps of reconciles in seconds.",
    labels: ["step"],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
  });
  readonly errors: Counter<"class" | "reason" | "step"> = new Counter({
    name: "chronik_operator_errors_total",
    help: "Total number of failed reconciles by class, reason and step of the error.",
    labels: ["class", "reason", "step"],
  });
  readonly applies: Counter<"kind" | "result"> = new Counter({
    name: "chronik_operator_applies_total",
    help: "Total number of objects of clusters that were written or found unchanged, by kind and result.",
    labels: ["kind", "result"],
  });
  readonly drift: Counter<"kind"> = new Counter({
    name: "chronik_operator_drift_corrections_total",
    help: "Total number of drift corrections of objects of clusters, by kind.",
    labels: ["kind"],
  });
  readonly restarts: Counter<"component" | "reason"> = new Counter({
    name: "chronik_operator_restarts_total",
    help: "Total number of pods that the operator restarted, by component and reason.",
    labels: ["component", "reason"],
  });

  /** Records the status of a cluster after a reconcile. */
  record(key: string, { succeededAt, ...record }: ClusterRecord): void {
    const before = this.#clusters.get(key)?.succeededAt;
    this.#clusters.set(key, { ...record, succeededAt: succeededAt ?? before });
  }

  /** Forgets a deleted cluster. */
  forget(key: string): void {
    this.#clusters.delete(key);
  }

  /** Forgets all clusters, when this process stops leading. */
  clear(): void {
    this.#clusters.clear();
  }

  register(registry: Registry): void {
    const own = [
      this.reconciliations,
      this.durations,
      this.steps,
      this.errors,
      this.applies,
      this.drift,
      this.restarts,
    ];
    for (const metric of [...own, ...this.#gauges()]) registry.register(metric);
  }

  #gauges(): readonly Metric[] {
    const clusters = this.#clusters;
    const replicas = (name: string, help: string, field: "readyReplicas" | "desiredReplicas"): Metric =>
      new Gauge({
        name,
        help,
        labels: ["namespace", "cluster", "component"],
        read(set) {
          for (const { namespace, cluster, status } of clusters.values())
            for (const component of components)
              set({ namespace, cluster, component }, status[field]?.[counts[component]] ?? 0);
        },
      });
    return [
      new Gauge({
        name: "chronik_operator_clusters",
        help: "Number of clusters by phase.",
        labels: ["phase"],
        read(set) {
          const all = [...clusters.values()];
          for (const phase of phases) set({ phase }, all.filter(({ status }) => status.phase === phase).length);
        },
      }),
      replicas("chronik_operator_cluster_ready_replicas", "Ready members by component.", "readyReplicas"),
      replicas("chronik_operator_cluster_desired_replicas", "Desired members by component.", "desiredReplicas"),
      new Gauge({
        name: "chronik_operator_cluster_condition",
        help: "Conditions of clusters: 1 if True, otherwise 0.",
        labels: ["namespace", "cluster", "type"],
        read(set) {
          for (const { namespace, cluster, status } of clusters.values())
            for (const { type, status: is } of status.conditions ?? [])
              set({ namespace, cluster, type }, is === "True" ? 1 : 0);
        },
      }),
      new Gauge({
        name: "chronik_operator_rollout_blocked",
        help: "1 for each gate that blocks the restarts of a cluster.",
        labels: ["namespace", "cluster", "gate"],
        read(set) {
          for (const { namespace, cluster, status } of clusters.values())
            for (const { blockedBy = "" } of status.rollout?.components ?? [])
              if (blockedBy !== "") set({ namespace, cluster, gate: blockedBy }, 1);
        },
      }),
      new Gauge({
        name: "chronik_operator_last_success_timestamp_seconds",
        help: "Time of the last successful reconcile, in seconds since 1970.",
        labels: ["namespace", "cluster"],
        read(set) {
          for (const { namespace, cluster, succeededAt } of clusters.values())
            if (succeededAt !== undefined) set({ namespace, cluster }, succeededAt / 1_000);
        },
      }),
      new Gauge({
        name: "chronik_operator_certificate_expiry_timestamp_seconds",
        help: "Time at which the certificate of a cluster expires, in seconds since 1970.",
        labels: ["namespace", "cluster"],
        read(set) {
          for (const { namespace, cluster, status } of clusters.values()) {
            const { notAfter } = status.certificate ?? {};
            if (notAfter !== undefined) set({ namespace, cluster }, new Date(notAfter).getTime() / 1_000);
          }
        },
      }),
    ];
  }
}
