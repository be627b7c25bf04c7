import type { Metric } from "../metrics/metric.ts";
import type { Registry } from "../metrics/registry.ts";

/** Another name for a metric. */
interface Alias {
  readonly name: string;
  readonly of: string;
  readonly type: Metric["type"];
}

/** The short names of controller metrics, and which of controller-runtime's they stand for. */
export const metricAliases: readonly Alias[] = [
  { name: "reconcile_total", of: "controller_runtime_reconcile_total", type: "counter" },
  { name: "reconcile_errors_total", of: "controller_runtime_reconcile_errors_total", type: "counter" },
  { name: "reconcile_duration_seconds", of: "controller_runtime_reconcile_time_seconds", type: "histogram" },
  { name: "work_queue_depth", of: "workqueue_depth", type: "gauge" },
  { name: "work_queue_latency", of: "workqueue_queue_duration_seconds", type: "histogram" },
];

/**
 * Shows some metrics of a registry under a second, shorter name, with the same labels and numbers.
 *
 * Nothing is counted twice: the original is read when the page is made.
 */
export function registerAliases(registry: Registry): void {
  for (const { name, of, type } of metricAliases) {
    registry.register({
      name,
      type,
      help: `The same as ${of}.`,
      overflows: 0,
      // What goes wrong is reported where the original is shown.
      lines: () => (registry.get(of)?.lines(() => undefined) ?? []).map((line) => name + line.slice(of.length)),
    });
  }
}
