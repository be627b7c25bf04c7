import { Counter, Gauge, Histogram } from "homeostat";
import type { Metric, Registry } from "@homeostat/runtime";
import type { SandboxPhase } from "../api/sandbox.ts";

/** Facts about a sandbox after a reconcile. */
export interface SandboxRecord {
  readonly namespace: string;
  readonly name: string;
  readonly phase: SandboxPhase;
  /** Limits of all forks together: cores, bytes, pods. */
  readonly usage: { readonly cpu: number; readonly memory: number; readonly pods: number };
  /** Entries whose fork differs from the current baseline. */
  readonly drifted: ReadonlyMap<string, boolean>;
}

/** Facts about a RouteGroup after a reconcile. */
export interface GroupRecord {
  readonly namespace: string;
  readonly name: string;
  readonly matched: number;
}

/** Returns the counter of the watchdog, which runs in every replica, not only in the leader. */
export function takeoverRestores(): Counter<"namespace"> {
  return new Counter({
    name: "takeover_restores_total",
    help: "Total number of Services restored because no proxy was ready.",
    labels: ["namespace"],
  });
}

const secondsBuckets = [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600];

/** The metrics of sandboxes and groups. Gauges are read from the last reconcile of each object when they are scraped. */
export class SandboxMetrics {
  readonly #sandboxes = new Map<string, SandboxRecord>();
  readonly #groups = new Map<string, GroupRecord>();
  /** Namespaces of Services that are taken over, by the key of the Service. */
  readonly #takeovers = new Map<string, string>();

  readonly readySeconds: Histogram<"namespace"> = new Histogram({
    name: "sandbox_ready_seconds",
    help: "Time from the creation of a sandbox until it was ready for the first time, in seconds.",
    labels: ["namespace"],
    buckets: secondsBuckets,
  });
  readonly expirations: Counter<"namespace"> = new Counter({
    name: "sandbox_expirations_total",
    help: "Total number of sandboxes deleted because their lifetime had ended.",
    labels: ["namespace"],
  });
  readonly cleanupSeconds: Histogram<"namespace"> = new Histogram({
    name: "sandbox_cleanup_seconds",
    help: "Time from the deletion of a sandbox until all of its objects were deleted, in seconds.",
    labels: ["namespace"],
    buckets: secondsBuckets,
  });
  readonly compilerMismatches: Counter = new Counter({
    name: "sandbox_compiler_mismatch_total",
    help: "Total number of differences between the incremental and the full compilation of routes. Each of them is a bug.",
  });

  readonly takeoverConflicts: Counter<"namespace"> = new Counter({
    name: "takeover_conflicts_total",
    help: "Total number of takeovers that ended because another client reverted the Service.",
    labels: ["namespace"],
  });

  recordSandbox(key: string, record: SandboxRecord): void {
    this.#sandboxes.set(key, record);
  }

  /** Records that a sandbox is being deleted. */
  recordDeletion(key: string): void {
    const record = this.#sandboxes.get(key);
    if (record !== undefined) this.#sandboxes.set(key, { ...record, phase: "Terminating" });
  }

  forgetSandbox(key: string): void {
    this.#sandboxes.delete(key);
  }

  recordGroup(key: string, record: GroupRecord): void {
    this.#groups.set(key, record);
  }

  forgetGroup(key: string): void {
    this.#groups.delete(key);
  }

  recordTakeover(key: string, namespace: string): void {
    this.#takeovers.set(key, namespace);
  }

  forgetTakeover(key: string): void {
    this.#takeovers.delete(key);
  }

  /** Forgets all objects, when this process stops leading. */
  clear(): void {
    this.#sandboxes.clear();
    this.#groups.clear();
    this.#takeovers.clear();
  }

  register(registry: Registry): void {
    const counters = [this.expirations, this.compilerMismatches, this.takeoverConflicts];
    const histograms = [this.readySeconds, this.cleanupSeconds];
    for (const metric of [...counters, ...histograms, ...this.#gauges()]) registry.register(metric);
  }

  #gauges(): readonly Metric[] {
    const sandboxes = this.#sandboxes;
    const groups = this.#groups;
    const takeovers = this.#takeovers;
    return [
      new Gauge({
        name: "takeover_active",
        help: "Number of Services that route to the routing proxy.",
        labels: ["namespace"],
        read(set) {
          const counts = new Map<string, number>();
          for (const namespace of takeovers.values()) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
          for (const [namespace, count] of counts) set({ namespace }, count);
        },
      }),
      new Gauge({
        name: "sandbox_count",
        help: "Number of sandboxes by namespace and phase.",
        labels: ["namespace", "phase"],
        read(set) {
          const counts = new Map<string, { namespace: string; phase: string; count: number }>();
          for (const { namespace, phase } of sandboxes.values()) {
            const known = counts.get(`${namespace}/${phase}`) ?? { namespace, phase, count: 0 };
            counts.set(`${namespace}/${phase}`, { ...known, count: known.count + 1 });
          }
          for (const { count, ...labels } of counts.values()) set(labels, count);
        },
      }),
      new Gauge({
        name: "sandbox_fork_resources",
        help: "Limits of all forks of a sandbox: cores of cpu, bytes of memory, number of pods.",
        labels: ["namespace", "sandbox", "resource"],
        read(set) {
          for (const { namespace, name: sandbox, usage } of sandboxes.values()) {
            for (const [resource, value] of Object.entries(usage)) set({ namespace, sandbox, resource }, value);
          }
        },
      }),
      new Gauge({
        name: "sandbox_drift",
        help: "1 if a fork differs from the current baseline, otherwise 0.",
        labels: ["namespace", "sandbox", "workload"],
        read(set) {
          for (const { namespace, name: sandbox, drifted } of sandboxes.values()) {
            for (const [workload, isDrifted] of drifted) set({ namespace, sandbox, workload }, isDrifted ? 1 : 0);
          }
        },
      }),
      new Gauge({
        name: "routegroup_matched_sandboxes",
        help: "Number of sandboxes that a RouteGroup includes.",
        labels: ["namespace", "group"],
        read(set) {
          for (const { namespace, name: group, matched } of groups.values()) set({ namespace, group }, matched);
        },
      }),
    ];
  }
}
