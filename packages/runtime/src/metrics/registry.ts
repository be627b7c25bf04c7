import { ArgumentError } from "@homeostat/core";
import { Counter } from "./counter.ts";
import { escapeHelp } from "./labels.ts";
import type { Metric } from "./metric.ts";

/** Options of a {@link Registry}. */
export interface RegistryOptions {
  /** Told of every callback that throws while metrics are shown: the place to log it. */
  readonly onError?: (error: unknown, metric: string) => void;
}

/**
 * The metrics of a program, and the page that shows them to Prometheus.
 *
 * There is no global one: who measures something is given the registry, or a metric that is in it.
 *
 * Two metrics of its own say when others are not whole: `homeostat_metrics_overflow_total` counts, by metric, the labels
 * that had no room, and `homeostat_metrics_callback_errors_total` the callbacks that threw.
 *
 * @example
 * const registry = new Registry();
 * const checks = registry.register(new Counter({ name: "checks_total", help: "Checks that ran." }));
 * checks.inc();
 * response.setHeader("content-type", Registry.contentType).end(registry.expose());
 */
export class Registry {
  /** The content type of what {@link expose} returns: the text format, version 0.0.4. */
  static readonly contentType = "text/plain; version=0.0.4; charset=utf-8";

  readonly #metrics = new Map<string, Metric>();
  /** Every name that appears on a line: three more for a histogram. */
  readonly #lineNames = new Set<string>();
  readonly #onError: (error: unknown, metric: string) => void;
  readonly #overflows = new Counter({
    name: "homeostat_metrics_overflow_total",
    help: "Updates whose labels had no room in their metric and went to its overflow series.",
    labels: ["metric"],
  });
  readonly #callbackErrors = new Counter({
    name: "homeostat_metrics_callback_errors_total",
    help: "Callbacks of gauges that threw while metrics were shown.",
    labels: ["metric"],
  });

  constructor({ onError = () => {} }: RegistryOptions = {}) {
    this.#onError = onError;
    this.register(this.#overflows);
    this.register(this.#callbackErrors);
  }

  /** Adds a metric and returns it. Throws when a name of its lines is taken. */
  register<M extends Metric>(metric: M): M {
    const names = lineNames(metric);
    const taken = names.find((name) => this.#lineNames.has(name));
    if (taken !== undefined) {
      throw new ArgumentError({
        argument: "metric",
        problem: `${metric.name}: ${taken} is registered already. Share that metric, or rename.`,
      });
    }
    for (const name of names) this.#lineNames.add(name);
    this.#metrics.set(metric.name, metric);
    return metric;
  }

  /** The metric with this name, if there is one. */
  get(name: string): Metric | undefined {
    return this.#metrics.get(name);
  }

  /** All metrics in the text format, sorted by name and within a metric by labels. */
  expose(): string {
    const own = new Set<Metric>([this.#overflows, this.#callbackErrors]);
    const pages = new Map<string, string>();
    for (const metric of this.#metrics.values()) if (!own.has(metric)) pages.set(metric.name, this.#show(metric));
    // These two come last: showing the others is what changes them.
    for (const metric of own) pages.set(metric.name, this.#show(metric));
    return [...pages]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, page]) => page)
      .join("");
  }

  #show(metric: Metric): string {
    const { name, help, type } = metric;
    const lines = metric.lines((error) => {
      this.#callbackErrors.inc({ metric: name });
      this.#onError(error, name);
    });
    this.#noteOverflows(metric);
    // A metric without a sample says nothing; its head alone would puzzle some readers.
    if (lines.length === 0) return "";
    return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines.join("\n")}\n`;
  }

  #noteOverflows({ name, overflows }: Metric): void {
    if (overflows === 0) return;
    const series = this.#overflows.with({ metric: name });
    series.inc(overflows - series.value);
  }
}

function lineNames({ name, type }: Metric): readonly string[] {
  return type === "histogram" ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}
