import { median } from "../harness/measure.ts";

/** What one run of one contestant gave: numbers by the name of the measure, or why there are none. */
export interface Sample {
  readonly contestant: string;
  readonly round: number;
  readonly values: Readonly<Record<string, number>>;
  readonly error?: string | undefined;
}

/** One measure of one contestant over all rounds. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** To the reference; undefined when that has none, or zero. */
  readonly ratio: number | undefined;
}

/** A contestant's part of the table. */
export interface Row {
  readonly contestant: string;
  readonly rounds: number;
  readonly measures: Readonly<Record<string, Summary>>;
  readonly errors: readonly string[];
}

/** Everything is compared with controller-runtime and typed objects. */
export const reference = "go-typed";

/** Medians over the rounds, and their ratios to the reference, in the order in which contestants were named. */
export function summarise(samples: readonly Sample[], contestants: readonly string[]): readonly Row[] {
  const good = samples.filter(({ error }) => error === undefined);
  const of = (contestant: string): readonly Sample[] => good.filter((sample) => sample.contestant === contestant);
  const measures = [...new Set(good.flatMap(({ values }) => Object.keys(values)))];
  return contestants.map((contestant) => ({
    contestant,
    rounds: of(contestant).length,
    measures: Object.fromEntries(
      measures.flatMap((measure) => {
        const values = valuesOf(of(contestant), measure);
        if (values.length === 0) return [];
        const middle = median(values);
        const ratio = ratioOf(middle, valuesOf(of(reference), measure));
        return [[measure, { median: middle, min: Math.min(...values), max: Math.max(...values), ratio }]];
      }),
    ),
    errors: samples.flatMap(({ contestant: name, error }) =>
      name === contestant && error !== undefined ? [error] : [],
    ),
  }));
}

function valuesOf(samples: readonly Sample[], measure: string): number[] {
  return samples.flatMap(({ values }) => values[measure] ?? []);
}

function ratioOf(value: number, references: readonly number[]): number | undefined {
  const base = references.length === 0 ? 0 : median(references);
  return base > 0 ? value / base : undefined;
}

/** The value below which a part of some numbers lies, by the nearest rank: of 100, the 99th for 0.99. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(part * sorted.length) - 1))] ?? Number.NaN;
}
