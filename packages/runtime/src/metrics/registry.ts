import { ArgumentError } from "@homeostat/core";
import { Counter } from "./counter.ts";
import { escapeHelp } from "./labels.ts";
import type { Metric } from "./metric.ts";

/** Options of a {@link Registry}. */
export interface RegistryOptions {
  /** Called for every callback that throws during a scrape, to log it. */
  readonly onError?: (error: unknown, metric: string) => void;
}

/**
 * The metrics of a program, exposed in the Prometheus text format.
 *
 * There is no global registry: code that measures something is given the registry, or a metric registered in it.
 *
 * Two metrics of its own show when others are incomplete: `homeostat_metrics_overflow_total` counts updates that went
 * to an overflow series, and `homeostat_metrics_callback_errors_total` callbacks that threw.
 *
 * @example
 * const registry = new Registry();
 * const checks = registry.register(new Counter({ name: "checks_total", help: "Completed checks." }));
 * checks.inc();
 * response.setHeader("content-type", Registry.contentType).end(registry.expose());
 */
export class Registry {
  /** Content type of the result of {@link expose}: the text format, version 0.0.4. */
  static readonly contentType = "text/plain; version=0.0.4; charset=utf-8";

  readonly #metrics = new Map<string, Metric>();
  /** All sample names in use; a histogram has three in addition to its own. */
  readonly #lineNames = new Set<string>();
  readonly #onError: (error: unknown, metric: string) => void;
  readonly #overflows = new Counter({
    name: "homeostat_metrics_overflow_total",
    help: "Updates that went to the overflow series of a metric because it has too many series.",
    labels: ["metric"],
  });
  readonly #callbackErrors = new Counter({
    name: "homeostat_metrics_callback_errors_total",
    help: "Gauge callbacks that threw during a scrape.",
    labels: ["metric"],
  });

  constructor({ onError = () => {} }: RegistryOptions = {}) {
    this.#onError = onError;
    this.register(this.#overflows);
    this.register(this.#callbackErrors);
  }

  /** Adds a metric and returns it. Throws if one of its sample names is already in use. */
  register<M extends Metric>(metric: M): M {
    const names = lineNames(metric);
    const duplicate = names.find((name) => this.#lineNames.has(name));
    if (duplicate !== undefined) {
      throw new ArgumentError({
        argument: "metric",
        problem: `${metric.name}: ${duplicate} is already registered. Use that metric, or choose another name.`,
      });
    }
    for (const name of names) this.#lineNames.add(name);
    this.#metrics.set(metric.name, metric);
    return metric;
  }

  /** Returns the metric with this name, if it exists. */
  get(name: string): Metric | undefined {
    return this.#metrics.get(name);
  }

  /** Returns all metrics in the text format, sorted by name and, within a metric, by labels. */
  expose(): string {
    const own = new Set<Metric>([this.#overflows, this.#callbackErrors]);
    const pages = new Map<string, string>();
    for (const metric of this.#metrics.values()) if (!own.has(metric)) pages.set(metric.name, this.#render(metric));
    // These two are rendered last, because rendering the others changes them.
    for (const metric of own) pages.set(metric.name, this.#render(metric));
    return [...pages]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, page]) => page)
      .join("");
  }

  #render(metric: Metric): string {
    const { name, help, type } = metric;
    const lines = metric.lines((error) => {
      this.#callbackErrors.inc({ metric: name });
      this.#onError(error, name);
    });
    this.#noteOverflows(metric);
    // Without samples the header is omitted, too: some parsers do not expect a header alone.
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
