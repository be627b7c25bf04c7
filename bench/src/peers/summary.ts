import { median } from "../harness/measure.ts";

/** Result of one run of one runtime: values by measure name, or an error. */
export interface Sample {
  readonly runtime: string;
  readonly round: number;
  readonly values: Readonly<Record<string, number>>;
  readonly error?: string | undefined;
}

/** One measure of one runtime over all rounds. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** Ratio to the reference; undefined when the reference has no value or zero. */
  readonly ratio: number | undefined;
}

/** Table row of a runtime. */
export interface Row {
  readonly runtime: string;
  readonly rounds: number;
  readonly measures: Readonly<Record<string, Summary>>;
  readonly errors: readonly string[];
}

/** The reference: controller-runtime with typed objects. */
export const reference = "go-typed";

/** Returns medians over the rounds and their ratios to the reference, in the given order of runtimes. */
export function summarise(samples: readonly Sample[], runtimes: readonly string[]): readonly Row[] {
  const good = samples.filter(({ error }) => error === undefined);
  const of = (runtime: string): readonly Sample[] => good.filter((sample) => sample.runtime === runtime);
  const measures = [...new Set(good.flatMap(({ values }) => Object.keys(values)))];
  return runtimes.map((runtime) => ({
    runtime,
    rounds: of(runtime).length,
    measures: Object.fromEntries(
      measures.flatMap((measure) => {
        const values = valuesOf(of(runtime), measure);
        if (values.length === 0) return [];
        const middle = median(values);
        const ratio = ratioOf(middle, valuesOf(of(reference), measure));
        return [[measure, { median: middle, min: Math.min(...values), max: Math.max(...values), ratio }]];
      }),
    ),
    errors: samples.flatMap(({ runtime: name, error }) => (name === runtime && error !== undefined ? [error] : [])),
  }));
}

function valuesOf(samples: readonly Sample[], measure: string): number[] {
  return samples.flatMap(({ values }) => values[measure] ?? []);
}

function ratioOf(value: number, references: readonly number[]): number | undefined {
  const base = references.length === 0 ? 0 : median(references);
  return base > 0 ? value / base : undefined;
}

/** Returns a percentile by the nearest-rank method: of 100 values, the 99th for 0.99. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(part * sorted.length) - 1))] ?? Number.NaN;
}
