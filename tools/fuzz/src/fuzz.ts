import assert from "node:assert/strict";
import { inspect } from "node:util";

/** A small seeded random generator for inputs: the same seed gives the same inputs on every machine. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1;
  }

  /** Returns an integer from 0 (inclusive) to `below` (exclusive). */
  int(below: number): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x >>> 0;
    return this.#state % below;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.int(items.length)];
    if (item === undefined) throw new Error("cannot pick from an empty list");
    return item;
  }

  /** Returns `text` with one to three edits: a few characters replaced by a part of the text or by one of `pieces`. */
  mutate(text: string, pieces: readonly string[]): string {
    let result = text;
    for (let edits = 1 + this.int(3); edits > 0; edits -= 1) {
      const at = this.int(result.length + 1);
      const end = Math.min(result.length, at + this.int(4));
      const insert = this.int(4) === 0 ? result.slice(this.int(result.length + 1)).slice(0, 8) : this.pick(pieces);
      result = result.slice(0, at) + insert + result.slice(end);
    }
    return result;
  }
}

/** Returns the number of inputs of a fuzz test: `count`, or fewer in a sample, which `HOMEOSTAT_FUZZ_INPUTS` limits. */
export function inputCount(
  count: number,
  inputsMax: string | undefined = process.env["HOMEOSTAT_FUZZ_INPUTS"],
): number {
  return limited(count, "HOMEOSTAT_FUZZ_INPUTS", inputsMax);
}

/** Returns the number of runs of a property: `count`, or fewer in a sample, which `HOMEOSTAT_PROPERTY_RUNS` limits. */
export function propertyRuns(
  count: number,
  runsMax: string | undefined = process.env["HOMEOSTAT_PROPERTY_RUNS"],
): number {
  return limited(count, "HOMEOSTAT_PROPERTY_RUNS", runsMax);
}

function limited(count: number, name: string, value: string | undefined): number {
  const limit = Number(value ?? Infinity);
  if (Number.isNaN(limit)) throw new Error(`${name} is ${JSON.stringify(value)}; set it to a number`);
  return Math.min(count, limit);
}

/** Options of a fuzz run. */
export interface Fuzz<T> {
  /** Number of inputs. The environment variable `HOMEOSTAT_FUZZ_INPUTS` limits it, for a sample. */
  readonly count: number;
  readonly seed?: number;
  /** Generates the n-th input. */
  readonly input: (chance: SeededRandom, n: number) => T;
  /** Function under test. */
  readonly run: (input: T) => unknown;
  /** Reports whether an error is an expected reaction to invalid input. */
  readonly isExpected: (error: unknown) => boolean;
  /** Time limit per input. Default 100. */
  readonly milliseconds?: number;
}

/**
 * Feeds `count` inputs to `run` and fails when one of them throws anything unexpected, takes too long, or changes
 * `Object.prototype`.
 *
 * A slow input is retried up to five times and measured in CPU time, because on a busy machine a pause is more often caused by the
 * scheduler than by the code.
 * Returns how many inputs were accepted, so that a test can check that there were valid and invalid ones. For a sample, the
 * number is projected to `count` inputs, so that the same check holds.
 */
export function fuzz<T>(
  options: Fuzz<T>,
  inputsMax: string | undefined = process.env["HOMEOSTAT_FUZZ_INPUTS"],
): { accepted: number } {
  const count = inputCount(options.count, inputsMax);
  const before = JSON.stringify(Object.getOwnPropertyNames(Object.prototype));
  // Capturing stacks would take most of the time of expected errors. A failure names its input instead.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return { accepted: Math.round((feed({ ...options, count }) * options.count) / Math.max(count, 1)) };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    assert.equal(JSON.stringify(Object.getOwnPropertyNames(Object.prototype)), before, "Object.prototype was changed");
  }
}

function feed<T>({ count, seed = 1, input, run, isExpected, milliseconds = 100 }: Fuzz<T>): number {
  const chance = new SeededRandom(seed);
  let accepted = 0;
  for (let n = 0; n < count; n += 1) {
    const value = input(chance, n);
    const first = attempt(value, { run, isExpected });
    if (first.isAccepted) accepted += 1;
    let taken = first.milliseconds;
    for (let again = 0; taken > milliseconds && again < 5; again += 1) {
      const before = process.cpuUsage();
      attempt(value, { run, isExpected });
      taken = Math.min(taken, process.cpuUsage(before).user / 1000);
    }
    if (taken > milliseconds) assert.fail(`${taken.toFixed(0)} ms for ${show(value)}`);
  }
  return accepted;
}

function attempt<T>(
  value: T,
  { run, isExpected }: Pick<Fuzz<T>, "run" | "isExpected">,
): { isAccepted: boolean; milliseconds: number } {
  const started = performance.now();
  let isAccepted = true;
  try {
    run(value);
  } catch (error) {
    if (!isExpected(error)) throw new Error(`unexpected ${String(error)} for ${show(value)}`, { cause: error });
    isAccepted = false;
  }
  return { isAccepted, milliseconds: performance.now() - started };
}

function show(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : inspect(value, { depth: 20, breakLength: Infinity });
  return `${text.slice(0, 2_000)}${text.length > 2_000 ? `… (${text.length} characters)` : ""}`;
}
