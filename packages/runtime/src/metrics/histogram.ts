import { ArgumentError } from "@homeostat/core";
import { checkBuckets, defaultBuckets } from "./buckets.ts";
import { formatFloat } from "./float.ts";
import { type LabelArguments, type Metric, sampleLine, splitArguments, type ValueArguments } from "./metric.ts";
import { type MetricOptions, SeriesTable } from "./series.ts";

/** Options of a {@link Histogram}. */
export interface HistogramOptions<L extends string> extends MetricOptions<L> {
  /** Increasing, inclusive upper bounds; `+Inf` is implied. Default: {@link defaultBuckets}. */
  readonly buckets?: readonly number[];
}

/** One series of a histogram: the number of values per bucket, and their sum. */
export class HistogramSeries {
  readonly #bounds: readonly number[];
  /** Per bucket, not cumulative; the last one counts values above all bounds. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  get sum(): number {
    return this.#sum;
  }

  /** Returns the number of values up to each bound, followed by the total. */
  cumulativeCounts(): readonly number[] {
    let total = 0;
    return this.#counts.map((count) => (total += count));
  }

  /** Counts a value. Throws for `NaN`, which would make the sum unusable forever. */
  observe(value: number): void {
    if (Number.isNaN(value)) throw new ArgumentError({ argument: "value", problem: "is NaN; it must be a number." });
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
 * A metric that counts values in buckets with fixed bounds.
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
        problem: `of ${this.name} contain le, which is reserved for the bounds of a histogram.`,
      });
    }
    this.#bucketLabels = [...this.buckets, Infinity].map((bound) => `le="${formatFloat(bound)}"`);
  }

  /** Number of updates that went to the overflow series; see `seriesMax`. */
  get overflows(): number {
    return this.#series.overflows;
  }

  /** Returns the series with these labels, creating it at zero if needed. Keep the result where speed matters. */
  with(...args: LabelArguments<L>): HistogramSeries {
    return this.#series.of(splitArguments(args).labels);
  }

  observe(...args: ValueArguments<L>): void {
    const { labels, value } = splitArguments(args);
    this.#series.of(labels).observe(value ?? Number.NaN);
  }

  /**
   * Removes the series with these labels, for example when the object they name was deleted. Returns false if there
   * was none.
   */
  remove(...args: LabelArguments<L>): boolean {
    return this.#series.remove(splitArguments(args).labels);
  }

  lines(): readonly string[] {
    return this.#series.entries().flatMap(([labels, series]) => {
      const counts = series.cumulativeCounts().map(formatFloat);
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
