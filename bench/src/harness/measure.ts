import type { BenchCase } from "./case.ts";

/** Measured times of one subject, in nanoseconds per operation. */
export interface Measurement {
  readonly subject: string;
  readonly medianNs: number;
  readonly minNs: number;
  readonly maxNs: number;
  /** Median divided by the median of the case's first subject. */
  readonly ratio: number;
}

/** Target duration of one timed batch: long compared with clock resolution and scheduling, short enough to alternate often. */
const batchMs = 20;
const warmUpMs = 150;

interface Runner {
  readonly subject: string;
  readonly run: () => unknown;
  readonly isAsync: boolean;
  readonly callsPerBatch: number;
  readonly samplesNs: number[];
}

/**
 * Measures the subjects of a case in turns: every round times each of them once, and each round starts with a different one.
 *
 * A period in which the machine is slow or hot then affects all subjects.
 */
export async function measure(
  { subjects, operationsPerCall = 1 }: BenchCase,
  rounds: number,
): Promise<readonly Measurement[]> {
  const runners: Runner[] = [];
  for (const [subject, run] of Object.entries(subjects)) runners.push(await calibrate(subject, run));

  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < runners.length; turn += 1) {
      const runner = runners[(round + turn) % runners.length];
      if (runner === undefined) continue;
      const elapsedNs = await time(runner, runner.callsPerBatch);
      runner.samplesNs.push(elapsedNs / (runner.callsPerBatch * operationsPerCall));
    }
  }

  const medians = runners.map((runner) => median(runner.samplesNs));
  return runners.map(({ subject, samplesNs }, i) => ({
    subject,
    medianNs: medians[i] ?? Number.NaN,
    minNs: Math.min(...samplesNs),
    maxNs: Math.max(...samplesNs),
    ratio: (medians[i] ?? Number.NaN) / (medians[0] ?? Number.NaN),
  }));
}

/** Warms a subject up and determines the number of calls per batch. */
async function calibrate(subject: string, run: () => unknown): Promise<Runner> {
  const first = run();
  const isAsync = first instanceof Promise;
  await first;

  let calls = 1;
  let totalMs = 0;
  for (;;) {
    const elapsedMs = (await time({ run, isAsync }, calls)) / 1e6;
    totalMs += elapsedMs;
    if (elapsedMs >= batchMs && totalMs >= warmUpMs) {
      const callsPerBatch = Math.max(1, Math.round((calls * batchMs) / elapsedMs));
      return { subject, run, isAsync, callsPerBatch, samplesNs: [] };
    }
    if (elapsedMs < batchMs) calls *= 2;
  }
}

/** Sink for results, so that V8 cannot prove them unused. */
const sink: { last: unknown } = { last: undefined };

async function time({ run, isAsync }: Pick<Runner, "run" | "isAsync">, calls: number): Promise<number> {
  const start = process.hrtime.bigint();
  if (isAsync) for (let i = 0; i < calls; i += 1) sink.last = await run();
  else for (let i = 0; i < calls; i += 1) sink.last = run();
  return Number(process.hrtime.bigint() - start);
}

/** Returns the median. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  const low = sorted[Math.ceil(half) - 1];
  const high = sorted[Math.floor(half)];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}
