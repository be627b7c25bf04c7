import { ArgumentError } from "@homeostat/core";
import { checkLabelNames, type Labels, labelText } from "./labels.ts";

/** Options of every metric. */
export interface MetricOptions<L extends string> {
  /** Name such as `workqueue_adds_total`: letters, digits, `_` and `:`. */
  readonly name: string;
  /** Description for users, exposed with the metric. */
  readonly help: string;
  /** Label names. Default: none. */
  readonly labels?: readonly L[];
  /**
   * Maximum number of series. Default 1000. Further combinations of label values share one series, in which every
   * label has the value `overflow`. So a label that contains, say, object names makes the metric less useful, but does
   * not exhaust the memory.
   */
  readonly seriesMax?: number;
}

/** The value of every label of the overflow series. */
export const overflowValue = "overflow";

const seriesMaxDefault = 1000;
const namePattern = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/** The series of one metric by their labels, up to a limit. */
export class SeriesTable<S> {
  readonly labelNames: readonly string[];
  readonly #create: () => S;
  readonly #series = new Map<string, S>();
  readonly #overflowText: string;
  /** Number of series that may still be created, not counting the overflow series. */
  #remaining: number;
  #overflows = 0;

  constructor({ name, labels = [], seriesMax = seriesMaxDefault }: MetricOptions<string>, create: () => S) {
    if (!namePattern.test(name)) {
      throw new ArgumentError({
        argument: "name",
        problem: `is ${JSON.stringify(name)}; use letters, digits, _ and :, and do not start with a digit.`,
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
    this.#remaining = seriesMax;
    this.#overflowText = this.labelNames.map((label) => `${label}="${overflowValue}"`).join(",");
    // Without labels there is one series, which exists from the start at zero.
    if (labels.length === 0) this.#add("");
  }

  /** Number of updates that went to the overflow series. */
  get overflows(): number {
    return this.#overflows;
  }

  /** Returns the series with these labels, creating it at zero if needed. */
  of(labels: Labels): S {
    const text = labelText(this.labelNames, labels);
    const known = this.#series.get(text);
    if (known !== undefined) return known;
    if (this.#remaining > 0 || text === this.#overflowText) return this.#add(text);
    this.#overflows += 1;
    return this.#series.get(this.#overflowText) ?? this.#add(this.#overflowText);
  }

  /** Removes the series with these labels. Returns false if there was none. */
  remove(labels: Labels): boolean {
    const text = labelText(this.labelNames, labels);
    if (!this.#series.delete(text)) return false;
    if (text !== this.#overflowText) this.#remaining += 1;
    return true;
  }

  /** Returns all series with their labels as text, sorted by that text. */
  entries(): readonly (readonly [labels: string, series: S])[] {
    return [...this.#series].toSorted(([a], [b]) => (a < b ? -1 : 1));
  }

  #add(text: string): S {
    const made = this.#create();
    this.#series.set(text, made);
    if (text !== this.#overflowText) this.#remaining -= 1;
    return made;
  }
}
