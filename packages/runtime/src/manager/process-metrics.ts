import type { Clock } from "@homeostat/core";
import { Counter } from "../metrics/counter.ts";
import { Gauge } from "../metrics/gauge.ts";
import type { Metric } from "../metrics/metric.ts";
import type { Registry } from "../metrics/registry.ts";

/** Resource usage and version of a process: Node's `process`. */
export interface ProcessSource {
  cpuUsage(): { readonly user: number; readonly system: number };
  memoryUsage(): { readonly rss: number; readonly heapUsed: number; readonly external: number };
  uptime(): number;
  readonly version: string;
}

/** Options of {@link registerProcessMetrics}. */
export interface ProcessMetricsOptions {
  readonly clock: Clock;
  readonly source: ProcessSource;
  /** Name and version of the program. */
  readonly program: { readonly name: string; readonly version: string };
}

/** Registers the metrics of the process with the names of the Prometheus client libraries, and the build info. */
export function registerProcessMetrics(registry: Registry, { clock, source, program }: ProcessMetricsOptions): void {
  const startSeconds = clock.now() / 1000 - source.uptime();
  registry.register(cpuSeconds(source));
  gauge(registry, "process_resident_memory_bytes", "Resident memory size in bytes.", () => source.memoryUsage().rss);
  gauge(
    registry,
    "process_start_time_seconds",
    "Start time of the process since unix epoch in seconds.",
    () => startSeconds,
  );
  gauge(
    registry,
    "nodejs_heap_size_used_bytes",
    "Used size of the JavaScript heap in bytes.",
    () => source.memoryUsage().heapUsed,
  );
  gauge(
    registry,
    "nodejs_external_memory_bytes",
    "Memory of JavaScript objects outside the JavaScript heap, including cached objects, in bytes.",
    () => source.memoryUsage().external,
  );
  const build = new Gauge({
    name: "homeostat_build_info",
    help: "Always 1; labels with program name, program version and Node.js version.",
    labels: ["name", "version", "node"],
  });
  build.set({ ...program, node: source.version }, 1);
  registry.register(build);
}

/** Returns a counter whose value is read from the process when the metrics page is rendered. */
function cpuSeconds(source: ProcessSource): Metric {
  const counter = new Counter({
    name: "process_cpu_seconds_total",
    help: "Total user and system CPU time spent in seconds.",
  });
  const { name, help, type } = counter;
  return {
    name,
    help,
    type,
    overflows: 0,
    lines: () => {
      const { user, system } = source.cpuUsage();
      const series = counter.with();
      series.inc(Math.max(0, (user + system) / 1e6 - series.value));
      return counter.lines();
    },
  };
}

function gauge(registry: Registry, name: string, help: string, valueOf: () => number): void {
  registry.register(new Gauge({ name, help, read: (set) => set(valueOf()) }));
}
