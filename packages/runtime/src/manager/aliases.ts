import type { Metric } from "../metrics/metric.ts";
import type { Registry } from "../metrics/registry.ts";

/** A second name for a metric. */
interface Alias {
  readonly name: string;
  readonly of: string;
  readonly type: Metric["type"];
}

/** Short names for metrics of controller-runtime and client-go. */
export const metricAliases: readonly Alias[] = [
  { name: "reconcile_total", of: "controller_runtime_reconcile_total", type: "counter" },
  { name: "reconcile_errors_total", of: "controller_runtime_reconcile_errors_total", type: "counter" },
  { name: "reconcile_duration_seconds", of: "controller_runtime_reconcile_time_seconds", type: "histogram" },
  { name: "work_queue_depth", of: "workqueue_depth", type: "gauge" },
  { name: "work_queue_latency", of: "workqueue_queue_duration_seconds", type: "histogram" },
];

/**
 * Exports some metrics of a registry under a second, shorter name, with the same labels and values.
 *
 * Nothing is counted twice: the original is read when the metrics page is rendered.
 */
export function registerAliases(registry: Registry): void {
  for (const { name, of, type } of metricAliases) {
    registry.register({
      name,
      type,
      help: `Alias of ${of}.`,
      overflows: 0,
      // Errors are reported with the original metric.
      lines: () => (registry.get(of)?.lines(() => undefined) ?? []).map((line) => name + line.slice(of.length)),
    });
  }
}
