import { ArgumentError } from "@homeostat/core";
import { formatFloat } from "./float.ts";
import { type AmountArguments, type LabelArguments, type Metric, sampleLine, splitArguments } from "./metric.ts";
import { type MetricOptions, SeriesTable } from "./series.ts";

/** One series of a counter: a number that only grows. */
export class CounterSeries {
  #value = 0;

  get value(): number {
    return this.#value;
  }

  /** Adds to the number. Throws for less than nothing: a counter that falls looks like a restart. */
  inc(by = 1): void {
    if (!(by >= 0)) throw new ArgumentError({ argument: "by", problem: `is ${by}; a counter only grows.` });
    this.#value += by;
  }
}

/**
 * How often something has happened since the program began.
 *
 * @example
 * const results = new Counter({ name: "checks_total", help: "Checks by result.", labels: ["result"] });
 * results.inc({ result: "ok" });
 * const failed = results.with({ result: "failed" }); // there from now on, at 0, and without a lookup at each inc
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

  get overflows(): number {
    return this.#series.overflows;
  }

  /** The series with these labels, at zero when it is new. Keep it where speed matters. */
  with(...args: LabelArguments<L>): CounterSeries {
    return this.#series.of(splitArguments(args).labels);
  }

  /** Adds one, or another amount, to the series with these labels. */
  inc(...args: AmountArguments<L>): void {
    const { labels, value } = splitArguments(args);
    this.#series.of(labels).inc(value);
  }

  /** Forgets the series with these labels, when what they name is gone for good; false when there was none. */
  remove(...args: LabelArguments<L>): boolean {
    return this.#series.remove(splitArguments(args).labels);
  }

  lines(): readonly string[] {
    return this.#series.entries().map(([labels, series]) => sampleLine(this.name, labels, formatFloat(series.value)));
  }
}
