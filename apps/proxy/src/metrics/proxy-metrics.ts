import type { Destination, ProxyErrorReason, ProxyObserver, RequestEnd } from "@homeostat/proxy";
import type { RoutingErrorReason } from "@homeostat/routing";
import { Counter, type CounterSeries, Histogram, type HistogramSeries, type Registry } from "@homeostat/runtime";
import type { Role } from "../settings/flags.ts";

/** 0.5 ms to 60 s. */
const durationBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** 25 us to 100 ms. */
const overheadBuckets = [0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1];
const codeClasses = ["none", "1xx", "2xx", "3xx", "4xx", "5xx"] as const;

type RequestLabels = "namespace" | "service" | "destination" | "sandbox" | "code" | "protocol";

/** Series of one destination. Kept by the destination object, so that a request costs one lookup. */
interface DestinationSeries {
  readonly duration: HistogramSeries;
  /** By code class and protocol; created when first used. A list, because a text to look up would be built for each request. */
  readonly requests: (CounterSeries | undefined)[];
}

/** Counts the requests of the proxy. Labels have few values: never a path, never a routing key. */
export class ProxyMetrics implements ProxyObserver {
  readonly #requests: Counter<RequestLabels>;
  readonly #durations: Histogram<"service" | "destination">;
  readonly #errors: Counter<"reason">;
  readonly #restored: Counter;
  readonly #overhead: HistogramSeries;
  #series = new WeakMap<Destination, DestinationSeries>();
  /** Labels of the series of sandboxes, to remove them when the sandbox is gone. */
  readonly #ofSandboxes = new Map<string, Map<string, Readonly<Record<RequestLabels, string>>>>();
  /** Sandboxes with series that were in no table at the last call of {@link ProxyMetrics.forgetMissing}. */
  #missing = new Set<string>();

  constructor(registry: Registry, role: Role) {
    this.#requests = registry.register(
      new Counter({
        name: "proxy_requests_total",
        help: "Requests by destination, class of the response status and protocol.",
        labels: ["namespace", "service", "destination", "sandbox", "code", "protocol"],
        seriesMax: 5_000,
      }),
    );
    this.#durations = registry.register(
      new Histogram({
        name: "proxy_request_duration_seconds",
        help: "Time from the head of a request to the end of its response.",
        labels: ["service", "destination"],
        buckets: durationBuckets,
      }),
    );
    this.#errors = registry.register(
      new Counter({
        name: "proxy_routing_errors_total",
        help: "Requests that the proxy did not route as asked, and requests that it failed itself, by reason.",
        labels: ["reason"],
      }),
    );
    this.#restored = registry.register(
      new Counter({
        name: "proxy_restored_keys_total",
        help: "Requests without a routing key that got the one of their trace.",
      }),
    );
    this.#overhead = registry
      .register(
        new Histogram({
          name: "proxy_overhead_seconds",
          help: "Time that a request spent inside the proxy.",
          labels: ["role"],
          buckets: overheadBuckets,
        }),
      )
      .with({ role });
  }

  requestEnded({ destination, protocol, status, durationMs, overheadMs }: RequestEnd): void {
    const series = this.#of(destination);
    series.duration.observe(durationMs / 1000);
    this.#overhead.observe(overheadMs / 1000);
    const index = Math.floor(status / 100);
    const codeClass = index < codeClasses.length ? index : 0;
    const at = codeClass * 2 + (protocol === "http2" ? 1 : 0);
    const requests = (series.requests[at] ??= this.#create(destination, {
      code: codeClasses[codeClass] ?? "none",
      protocol,
    }));
    requests.inc();
  }

  failed(reason: ProxyErrorReason): void {
    this.#errors.inc({ reason });
  }

  /** Counts a routing key that was restored from the trace of a request. */
  readonly countRestored = (): void => this.#restored.inc();

  /** Counts an error of routing; for the `count` of a decision. */
  readonly countRouting = (reason: RoutingErrorReason): void => this.#errors.inc({ reason });

  /**
   * Removes the series of sandboxes that are in no table, and were in none at the call before. `sandboxes` has names as `namespace/sandbox`.
   */
  forgetMissing(sandboxes: ReadonlySet<string>): void {
    const missing = this.#missing;
    this.#missing = new Set();
    for (const [name, all] of this.#ofSandboxes) {
      if (sandboxes.has(name)) continue;
      if (!missing.has(name)) {
        this.#missing.add(name);
        continue;
      }
      for (const labels of all.values()) this.#requests.remove(labels);
      this.#ofSandboxes.delete(name);
      // Series that are still referred to would count without being exposed; they are created again when needed.
      this.#series = new WeakMap();
    }
  }

  #of(destination: Destination): DestinationSeries {
    const known = this.#series.get(destination);
    if (known !== undefined) return known;
    const { service, kind } = destination;
    const created = { duration: this.#durations.with({ service, destination: kind }), requests: [] };
    this.#series.set(destination, created);
    return created;
  }

  #create(
    { namespace, service, kind, sandbox }: Destination,
    { code, protocol }: { readonly code: string; readonly protocol: string },
  ): CounterSeries {
    const labels = { namespace, service, destination: kind, sandbox, code, protocol };
    if (sandbox !== "") {
      const name = `${namespace}/${sandbox}`;
      const all = this.#ofSandboxes.get(name) ?? new Map<string, typeof labels>();
      all.set(`${service} ${code} ${protocol}`, labels);
      this.#ofSandboxes.set(name, all);
    }
    return this.#requests.with(labels);
  }
}
