import type { Labels, LabelValues } from "./labels.ts";

/** What a registry needs to know of a metric to show it. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** How often labels came that had no room; see `seriesMax`. */
  readonly overflows: number;
  /** The lines of its samples, now. A callback that throws is reported to `onError` and costs only its own samples. */
  lines(onError: (error: unknown) => void): readonly string[];
}

/** What `with` takes: the labels, if the metric has any. */
export type LabelArguments<L extends string> = [L] extends [never] ? [] : [labels: LabelValues<L>];

/** What `inc` and `dec` take: the labels, if the metric has any, and by how much; by 1 when that is left out. */
export type AmountArguments<L extends string> = [...LabelArguments<L>, by?: number];

/** What `set` and `observe` take: the labels, if the metric has any, and the value. */
export type ValueArguments<L extends string> = [...LabelArguments<L>, value: number];

const noLabels: Labels = Object.freeze({});

/** Takes the arguments of a metric's method apart. */
export function splitArguments(args: readonly (Labels | number | undefined)[]): {
  readonly labels: Labels;
  readonly value: number | undefined;
} {
  const [first, second] = args;
  if (typeof first !== "object") return { labels: noLabels, value: first };
  return { labels: first, value: typeof second === "number" ? second : undefined };
}

/** One sample as a line: `name{labels} value`. */
export function sampleLine(name: string, labels: string, value: string): string {
  return labels === "" ? `${name} ${value}` : `${name}{${labels}} ${value}`;
}
