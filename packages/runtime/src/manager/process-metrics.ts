import type { Clock } from "@homeostat/core";
import { Counter } from "../metrics/counter.ts";
import { Gauge } from "../metrics/gauge.ts";
import type { Metric } from "../metrics/metric.ts";
import type { Registry } from "../metrics/registry.ts";

/** What a process tells of itself: Node's `process` does. */
export interface ProcessSource {
  cpuUsage(): { readonly user: number; readonly system: number };
  memoryUsage(): { readonly rss: number; readonly heapUsed: number; readonly external: number };
  uptime(): number;
  readonly version: string;
}

/** What the metrics of a process are made of. */
export interface ProcessMetricsOptions {
  readonly clock: Clock;
  readonly source: ProcessSource;
  /** The name and version of the program. */
  readonly program: { readonly name: string; readonly version: string };
}

/** Registers the metrics of the process, with the names that Prometheus' libraries give them, and which program it is. */
export function registerProcessMetrics(registry: Registry, { clock, source, program }: ProcessMetricsOptions): void {
  const startSeconds = clock.now() / 1000 - source.uptime();
  registry.register(cpuSeconds(source));
  gauge(
    registry,
    "process_resident_memory_bytes",
    "Memory of the process that is in RAM.",
    () => source.memoryUsage().rss,
  );
  gauge(registry, "process_start_time_seconds", "When the process began, in seconds since 1970.", () => startSeconds);
  gauge(
    registry,
    "nodejs_heap_size_used_bytes",
    "Memory that JavaScript objects take.",
    () => source.memoryUsage().heapUsed,
  );
  gauge(
    registry,
    "nodejs_external_memory_bytes",
    "Memory outside the JavaScript heap that belongs to JavaScript objects, the cache's bytes included.",
    () => source.memoryUsage().external,
  );
  const build = new Gauge({
    name: "homeostat_build_info",
    help: "Always 1; which program this is, and which Node runs it.",
    labels: ["name", "version", "node"],
  });
  build.set({ ...program, node: source.version }, 1);
  registry.register(build);
}

/** A counter whose value the process keeps itself. */
function cpuSeconds(source: ProcessSource): Metric {
  const counter = new Counter({
    name: "process_cpu_seconds_total",
    help: "Time that the process had a processor, in its own code and in the system's.",
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
