import type { Clock, JsonRecord } from "@homeostat/core";
import type { HandlerResponse } from "../http/handler.ts";
import type { HealthChecks } from "../http/health.ts";
import { versionInfo } from "../http/version.ts";
import type { Kinds } from "../registry/kinds.ts";
import type { Store } from "../storage/store.ts";
import { exposition, expositionType, type MetricFamily, type MetricSample } from "./exposition.ts";
import type { RequestMetrics } from "./request-metrics.ts";

/** Sources of {@link ServerMetrics}. */
export interface ServerMetricsOptions {
  readonly store: Store<JsonRecord>;
  readonly kinds: Kinds;
  readonly clock: Pick<Clock, "now">;
  readonly requests: RequestMetrics;
  /** Number of dispatched requests by FlowSchema and priority level. */
  readonly dispatched: () => Iterable<{ readonly flow: string; readonly level: string; readonly count: number }>;
  /** Availability of the APIServices that are served by another server. */
  readonly remoteVersions: () => Iterable<{ readonly name: string; readonly isAvailable: boolean }>;
}

/** The metrics of `/metrics`, with the names of kube-apiserver. */
export class ServerMetrics implements Disposable {
  readonly #options: ServerMetricsOptions;
  readonly #startMs: number;
  /** Number of writes by group, operation and resource. */
  readonly #writes = new Map<string, number>();
  readonly #unsubscribe: () => void;

  constructor(options: ServerMetricsOptions) {
    const { store, clock } = options;
    this.#options = options;
    this.#startMs = clock.now();
    let seen = store.visibleRevision;
    this.#unsubscribe = store.subscribe((visible) => {
      for (; seen < visible; seen += 1) {
        const change = store.change(seen + 1);
        if (change === undefined) continue;
        const operation = change.after === undefined ? "delete" : change.before === undefined ? "create" : "update";
        const [group = "", resource = ""] = change.key.split("/", 2);
        const key = `${group === "core" ? "" : group}\n${operation}\n${resource}`;
        this.#writes.set(key, (this.#writes.get(key) ?? 0) + 1);
      }
    });
  }

  /** Start time of the server, in milliseconds since 1970. */
  get startMs(): number {
    return this.#startMs;
  }

  /** Returns the response of `/metrics`. */
  response(): HandlerResponse {
    const families = [
      ...this.#options.requests.families(),
      ...this.#objectFamilies(),
      this.#writeFamily(),
      this.#flowFamily(),
      this.#aggregatorFamily(),
      ...this.#processFamilies(),
    ];
    return { status: 200, headers: { "Content-Type": expositionType }, body: exposition(families) };
  }

  /** Returns the response of `/metrics/slis`: the result of each health check. */
  async slisResponse(checks: HealthChecks): Promise<HandlerResponse> {
    const samples: MetricSample[] = [];
    for (const type of ["healthz", "livez", "readyz"] as const) {
      for (const each of checks[type]) {
        const problem = await each.check();
        const labels = [
          ["name", each.name],
          ["type", type],
        ] as const;
        samples.push({ labels, value: problem === undefined ? 1 : 0 });
      }
    }
    const key = ({ labels }: MetricSample): string => labels.map(([, value]) => value).join("\n");
    const help = "[STABLE] This metric records the result of a single healthcheck.";
    const sorted = samples.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
    const body = exposition([{ name: "kubernetes_healthcheck", type: "gauge", help, samples: sorted }]);
    const started = String(Math.floor(this.#startMs / 1000));
    return { status: 200, headers: { "Content-Type": expositionType, "Process-Start-Time-Unix": started }, body };
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
  }

  #objectFamilies(): MetricFamily[] {
    const view = this.#options.store.view();
    const counts = new Map<string, { readonly group: string; readonly resource: string; readonly value: number }>();
    for (const { prefix, resource } of this.#options.kinds.all()) {
      const { group, plural } = resource;
      const name = group === "" ? plural : `${plural}.${group}`;
      counts.set(name, { group, resource: plural, value: view.count({ prefix }) });
    }
    const rows = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return [
      {
        name: "apiserver_storage_objects",
        type: "gauge",
        help: "[STABLE] (Deprecated since 1.34.0) [DEPRECATED, consider using apiserver_resource_objects instead] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.",
        samples: rows.map(([name, { value }]) => ({ labels: [["resource", name]], value })),
      },
      {
        name: "apiserver_resource_objects",
        type: "gauge",
        help: "[ALPHA] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.",
        samples: rows.map(([, { group, resource, value }]) => ({
          labels: [
            ["group", group],
            ["resource", resource],
          ],
          value,
        })),
      },
    ];
  }

  #writeFamily(): MetricFamily {
    const samples = [...this.#writes].map(([key, value]): MetricSample => {
      const [group = "", operation = "", resource = ""] = key.split("\n");
      return {
        labels: [
          ["group", group],
          ["operation", operation],
          ["resource", resource],
        ],
        value,
      };
    });
    const help = "[ALPHA] Etcd request counts for each operation and object type.";
    return { name: "etcd_requests_total", type: "counter", help, samples };
  }

  #flowFamily(): MetricFamily {
    const samples = [...this.#options.dispatched()].map(({ flow, level, count }): MetricSample => ({
      labels: [
        ["flow_schema", flow],
        ["priority_level", level],
      ],
      value: count,
    }));
    const help = "[BETA] Number of requests executed by API Priority and Fairness subsystem";
    return { name: "apiserver_flowcontrol_dispatched_requests_total", type: "counter", help, samples };
  }

  #aggregatorFamily(): MetricFamily {
    const samples = [...this.#options.remoteVersions()].map(({ name, isAvailable }): MetricSample => ({
      labels: [["name", name]],
      value: isAvailable ? 0 : 1,
    }));
    const help = "[ALPHA] Gauge of APIServices which are marked as unavailable broken down by APIService name.";
    return { name: "aggregator_unavailable_apiservice", type: "gauge", help, samples };
  }

  #processFamilies(): MetricFamily[] {
    const { user, system } = process.cpuUsage();
    const { rss } = process.memoryUsage();
    const version = versionInfo();
    const single = (name: string, type: MetricFamily["type"], help: string, value: number): MetricFamily => ({
      name,
      type,
      help,
      samples: [{ labels: [], value }],
    });
    return [
      single(
        "process_cpu_seconds_total",
        "counter",
        "Total user and system CPU time spent in seconds.",
        (user + system) / 1e6,
      ),
      single("process_resident_memory_bytes", "gauge", "Resident memory size in bytes.", rss),
      single(
        "process_start_time_seconds",
        "gauge",
        "Start time of the process since unix epoch in seconds.",
        this.#startMs / 1000,
      ),
      {
        name: "kubernetes_build_info",
        type: "gauge",
        help: "[BETA] A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
        samples: [
          {
            labels: [
              ["build_date", version.buildDate],
              ["compiler", version.compiler],
              ["git_commit", version.gitCommit],
              ["git_tree_state", version.gitTreeState],
              ["git_version", version.gitVersion],
              ["go_version", version.goVersion],
              ["major", version.major],
              ["minor", version.minor],
              ["platform", version.platform],
            ],
            value: 1,
          },
        ],
      },
    ];
  }
}
