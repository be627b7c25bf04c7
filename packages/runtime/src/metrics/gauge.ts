import { formatFloat } from "./float.ts";
import {
  type AmountArguments,
  type LabelArguments,
  type Metric,
  sampleLine,
  splitArguments,
  type ValueArguments,
} from "./metric.ts";
import { type MetricOptions, SeriesTable } from "./series.ts";

/** One series of a gauge: a value that can increase and decrease. */
export class GaugeSeries {
  value = 0;

  inc(by = 1): void {
    this.value += by;
  }

  dec(by = 1): void {
    this.value -= by;
  }

  set(value: number): void {
    this.value = value;
  }
}

/** Reads values during a scrape and passes each of them to `set`. */
export type GaugeReader<L extends string> = (set: (...args: ValueArguments<L>) => void) => void;

/** Options of a {@link Gauge}. */
export interface GaugeOptions<L extends string> extends MetricOptions<L> {
  /** Reads the values on every scrape, for the lifetime of the gauge. For a shorter time use {@link Gauge.read}. */
  readonly read?: GaugeReader<L>;
}

/**
 * A metric that can increase and decrease.
 *
 * If the program already has the value, pass a `read` function that returns it during each scrape instead of storing a
 * copy here.
 *
 * @example
 * const open = new Gauge({
 *   name: "open_watches",
 *   help: "Open watches by kind.",
 *   labels: ["kind"],
 *   read: (set) => set({ kind: "Job" }, jobs.watches.size),
 * });
 */
export class Gauge<L extends string = never> implements Metric {
  readonly type = "gauge";
  readonly name: string;
  readonly help: string;
  readonly #options: MetricOptions<L>;
  readonly #series: SeriesTable<GaugeSeries>;
  readonly #readers = new Set<GaugeReader<L>>();
  #readingOverflows = 0;

  constructor(options: GaugeOptions<L>) {
    this.name = options.name;
    this.help = options.help;
    this.#options = options;
    this.#series = new SeriesTable(options, () => new GaugeSeries());
    if (options.read !== undefined) this.read(options.read);
  }

  /** Number of updates that went to the overflow series; see `seriesMax`. */
  get overflows(): number {
    return this.#series.overflows + this.#readingOverflows;
  }

  /** Returns the series with these labels, creating it at zero if needed. Keep the result where speed matters. */
  with(...args: LabelArguments<L>): GaugeSeries {
    return this.#series.of(splitArguments(args).labels);
  }

  set(...args: ValueArguments<L>): void {
    const { labels, value } = splitArguments(args);
    this.#series.of(labels).set(value ?? Number.NaN);
  }

  inc(...args: AmountArguments<L>): void {
    const { labels, value } = splitArguments(args);
    this.#series.of(labels).inc(value);
  }

  dec(...args: AmountArguments<L>): void {
    const { labels, value } = splitArguments(args);
    this.#series.of(labels).dec(value);
  }

  /**
   * Removes the series with these labels, for example when the object they name was deleted. Returns false if there
   * was none.
   */
  remove(...args: LabelArguments<L>): boolean {
    return this.#series.remove(splitArguments(args).labels);
  }

  /**
   * Calls `reader` during each scrape. The values it sets are exposed once and not stored, and replace stored values
   * with the same labels. Dispose of the result to remove the reader.
   */
  read(reader: GaugeReader<L>): Disposable {
    // Wrapped, so that a reader added twice is two entries, each removed on its own.
    const entry: GaugeReader<L> = (set) => reader(set);
    this.#readers.add(entry);
    return { [Symbol.dispose]: () => void this.#readers.delete(entry) };
  }

  lines(onError: (error: unknown) => void): readonly string[] {
    const values = new Map(this.#series.entries().map(([labels, { value }]) => [labels, value]));
    for (const [labels, { value }] of this.#readAll(onError)) values.set(labels, value);
    return [...values]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([labels, value]) => sampleLine(this.name, labels, formatFloat(value)));
  }

  #readAll(onError: (error: unknown) => void): readonly (readonly [string, GaugeSeries])[] {
    if (this.#readers.size === 0) return [];
    const read = new SeriesTable(this.#options, () => new GaugeSeries());
    for (const reader of this.#readers) {
      try {
        reader((...args) => {
          const { labels, value } = splitArguments(args);
          read.of(labels).set(value ?? Number.NaN);
        });
      } catch (error) {
        onError(error);
      }
    }
    this.#readingOverflows += read.overflows;
    return read.entries();
  }
}
