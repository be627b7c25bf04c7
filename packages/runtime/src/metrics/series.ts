import { ArgumentError } from "@homeostat/core";
import { checkLabelNames, type Labels, labelText } from "./labels.ts";

/** What every metric is told when it is made. */
export interface MetricOptions<L extends string> {
  /** Such as `workqueue_adds_total`: letters, digits, `_` and `:`. */
  readonly name: string;
  /** One sentence for people, shown beside the metric. */
  readonly help: string;
  /** The names of its labels. Default: none. */
  readonly labels?: readonly L[];
  /**
   * How many different sets of label values it keeps. Default 1000. What comes after shares one series, all of whose
   * labels say `overflow`: a label with an object's name in it costs a look at that series, not the memory of the process.
   */
  readonly seriesMax?: number;
}

/** The value of every label in the series that takes what a metric has no more room for. */
export const overflowValue = "overflow";

const seriesMaxDefault = 1000;
const namePattern = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/** The series of one metric by their labels, up to a limit. */
export class SeriesTable<S> {
  readonly labelNames: readonly string[];
  readonly #create: () => S;
  readonly #series = new Map<string, S>();
  readonly #overflowText: string;
  /** How many more series fit. The one for what does not fit is on top. */
  #room: number;
  #overflows = 0;

  constructor({ name, labels = [], seriesMax = seriesMaxDefault }: MetricOptions<string>, create: () => S) {
    if (!namePattern.test(name)) {
      throw new ArgumentError({
        argument: "name",
        problem: `is ${JSON.stringify(name)}; use letters, digits, _ and :, no digit first.`,
      });
    }
    if (!Number.isSafeInteger(seriesMax) || seriesMax < 1) {
      throw new ArgumentError({
        argument: "seriesMax",
        problem: `of ${name} is ${seriesMax}; it must be a whole number of at least 1.`,
      });
    }
    this.labelNames = checkLabelNames(name, labels);
    this.#create = create;
    this.#room = seriesMax;
    this.#overflowText = this.labelNames.map((label) => `${label}="${overflowValue}"`).join(",");
    // Without labels there is one series, and it is there from the start, at zero.
    if (labels.length === 0) this.#make("");
  }

  /** How often something was asked for that had no room. */
  get overflows(): number {
    return this.#overflows;
  }

  /** The series with these labels, made at zero when it is not there yet. */
  of(labels: Labels): S {
    const text = labelText(this.labelNames, labels);
    const known = this.#series.get(text);
    if (known !== undefined) return known;
    if (this.#room > 0 || text === this.#overflowText) return this.#make(text);
    this.#overflows += 1;
    return this.#series.get(this.#overflowText) ?? this.#make(this.#overflowText);
  }

  /** Forgets the series with these labels; false when there was none. */
  remove(labels: Labels): boolean {
    const text = labelText(this.labelNames, labels);
    if (!this.#series.delete(text)) return false;
    if (text !== this.#overflowText) this.#room += 1;
    return true;
  }

  /** Every series with its labels as text, in the order of that text. */
  entries(): readonly (readonly [labels: string, series: S])[] {
    return [...this.#series].toSorted(([a], [b]) => (a < b ? -1 : 1));
  }

  #make(text: string): S {
    const made = this.#create();
    this.#series.set(text, made);
    if (text !== this.#overflowText) this.#room -= 1;
    return made;
  }
}
