import { ArgumentError } from "@homeostat/core";
import { formatFloat } from "./float.ts";
import { type AmountArguments, type LabelArguments, type Metric, sampleLine, splitArguments } from "./metric.ts";
import { type MetricOptions, SeriesTable } from "./series.ts";

/** One series of a counter: a value that only increases. */
export class CounterSeries {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  /** Adds to the value. Throws for a negative amount: Prometheus reads a decreasing counter as a restart. */
  inc(by = 1): void {
    if (!(by >= 0)) throw new ArgumentError({ argument: "by", problem: `is ${by}; a counter can only be increased.` });
    this.#value += by;
  }
}

/**
 * A metric that counts occurrences since the start of the program.
 *
 * @example
 * const results = new Counter({ name: "checks_total", help: "Checks by result.", labels: ["result"] });
 * results.inc({ result: "ok" });
 * const failed = results.with({ result: "failed" }); // exists from now on, at 0; saves a lookup per inc
 */
export class Counter<L extends string = never> implements Metric {
  readonly type = "counter";
  readonly name: string;
  readonly help: string;
  readonly #series: SeriesTable<CounterSeries>;

  constructor(options: MetricOptions<L>) {
    this.name = options.name;
    this.help = options.help;
    this.#series = new SeriesTable(options, () => new CounterSeries());
  }

  /** Number of updates that went to the overflow series; see `seriesMax`. */
  get overflows(): number {
    return this.#series.overflows;
  }

  /** Returns the series with these labels, creating it at zero if needed. Keep the result where speed matters. */
  with(...args: LabelArguments<L>): CounterSeries {
    return this.#series.of(splitArguments(args).labels);
  }

  /** Adds one, or another amount, to the series with these labels. */
  inc(...args: AmountArguments<L>): void {
    const { labels, value } = splitArguments(args);
    this.#series.of(labels).inc(value);
  }

  /**
   * Removes the series with these labels, for example when the object they name was deleted. Returns false if there
   * was none.
   */
  remove(...args: LabelArguments<L>): boolean {
    return this.#series.remove(splitArguments(args).labels);
  }

  lines(): readonly string[] {
    return this.#series.entries().map(([labels, series]) => sampleLine(this.name, labels, formatFloat(series.value)));
  }
}
