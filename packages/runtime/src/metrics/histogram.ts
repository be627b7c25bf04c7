import { ArgumentError } from "@homeostat/core";
import { checkBuckets, defaultBuckets } from "./buckets.ts";
import { formatFloat } from "./float.ts";
import { type LabelArguments, type Metric, sampleLine, splitArguments, type ValueArguments } from "./metric.ts";
import { type MetricOptions, SeriesTable } from "./series.ts";

/** What a histogram is told when it is made. */
export interface HistogramOptions<L extends string> extends MetricOptions<L> {
  /** The upper bounds, rising, each part of its bucket; `+Inf` goes without saying. Default: {@link defaultBuckets}. */
  readonly buckets?: readonly number[];
}

/** One series of a histogram: how many values fell into each bucket, and their sum. */
export class HistogramSeries {
  readonly #bounds: readonly number[];
  /** Per bucket, not added up; the last one is for what is above all bounds. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  get sum(): number {
    return this.#sum;
  }

  /** How many values are at most the bound, for every bound in turn, and last how many there are. */
  cumulated(): readonly number[] {
    let total = 0;
    return this.#counts.map((count) => (total += count));
  }

  /** Counts a value. Throws for `NaN`, which would make the sum useless for good. */
  observe(value: number): void {
    if (Number.isNaN(value))
      throw new ArgumentError({ argument: "value", problem: "is NaN; a histogram counts numbers." });
    let low = 0;
    let high = this.#bounds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (value <= (this.#bounds[middle] ?? Infinity)) high = middle;
      else low = middle + 1;
    }
    this.#counts[low] = (this.#counts[low] ?? 0) + 1;
    this.#sum += value;
  }
}

/**
 * How values are spread: counted in buckets with fixed bounds.
 *
 * @example
 * const times = new Histogram({ name: "check_seconds", help: "Time per check.", labels: ["check"] });
 * times.observe({ check: "disk" }, 0.012);
 */
export class Histogram<L extends string = never> implements Metric {
  readonly type = "histogram";
  readonly name: string;
  readonly help: string;
  /** The upper bounds of the buckets, without `+Inf`. */
  readonly buckets: readonly number[];
  readonly #series: SeriesTable<HistogramSeries>;
  readonly #bucketLabels: readonly string[];

  constructor(options: HistogramOptions<L>) {
    this.name = options.name;
    this.help = options.help;
    this.buckets = checkBuckets(options.name, options.buckets ?? defaultBuckets);
    this.#series = new SeriesTable(options, () => new HistogramSeries(this.buckets));
    if (this.#series.labelNames.includes("le")) {
      throw new ArgumentError({
        argument: "labels",
        problem: `of ${this.name} contain le, which a histogram keeps for its bounds.`,
      });
    }
    this.#bucketLabels = [...this.buckets, Infinity].map((bound) => `le="${formatFloat(bound)}"`);
  }

  get overflows(): number {
    return this.#series.overflows;
  }

  /** The series with these labels, at zero when it is new. Keep it where speed matters. */
  with(...args: LabelArguments<L>): HistogramSeries {
    return this.#series.of(splitArguments(args).labels);
  }

  observe(...args: ValueArguments<L>): void {
    const { labels, value } = splitArguments(args);
    this.#series.of(labels).observe(value ?? Number.NaN);
  }

  /** Forgets the series with these labels, when what they name is gone for good; false when there was none. */
  remove(...args: LabelArguments<L>): boolean {
    return this.#series.remove(splitArguments(args).labels);
  }

  lines(): readonly string[] {
    return this.#series.entries().flatMap(([labels, series]) => {
      const counts = series.cumulated().map(formatFloat);
      const prefix = labels === "" ? "" : `${labels},`;
      return [
        ...counts.map((count, i) =>
          sampleLine(`${this.name}_bucket`, `${prefix}${this.#bucketLabels[i] ?? ""}`, count),
        ),
        sampleLine(`${this.name}_sum`, labels, formatFloat(series.sum)),
        sampleLine(`${this.name}_count`, labels, counts.at(-1) ?? "0"),
      ];
    });
  }
}
