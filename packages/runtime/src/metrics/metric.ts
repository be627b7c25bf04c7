import type { Labels, LabelValues } from "./labels.ts";

/** A metric, as seen by the registry. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** Number of updates that went to the overflow series; see `seriesMax`. */
  readonly overflows: number;
  /**
   * Returns the current samples as lines. A callback that throws is reported to `onError`, and only its own samples
   * are missing.
   */
  lines(onError: (error: unknown) => void): readonly string[];
}

/** Arguments of `with`: the labels, if the metric has any. */
export type LabelArguments<L extends string> = [L] extends [never] ? [] : [labels: LabelValues<L>];

/** Arguments of `inc` and `dec`: the labels, if the metric has any, and the amount; default 1. */
export type AmountArguments<L extends string> = [...LabelArguments<L>, by?: number];

/** Arguments of `set` and `observe`: the labels, if the metric has any, and the value. */
export type ValueArguments<L extends string> = [...LabelArguments<L>, value: number];

const noLabels: Labels = Object.freeze({});

/** Splits the arguments of a metric's method into labels and value. */
export function splitArguments(args: readonly (Labels | number | undefined)[]): {
  readonly labels: Labels;
  readonly value: number | undefined;
} {
  const [first, second] = args;
  if (typeof first !== "object") return { labels: noLabels, value: first };
  return { labels: first, value: typeof second === "number" ? second : undefined };
}

/** Formats a sample as a line: `name{labels} value`. */
export function sampleLine(name: string, labels: string, value: string): string {
  return labels === "" ? `${name} ${value}` : `${name}{${labels}} ${value}`;
}
