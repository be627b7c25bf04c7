import assert from "node:assert/strict";
import { inspect } from "node:util";

/** What to try, and with what. */
export interface Fuzz<T> {
  readonly count: number;
  readonly input: (index: number) => T;
  /** Tries one input. Anything it throws fails the test. */
  readonly run: (input: T) => void;
  readonly millisecondsMax?: number;
}

/**
 * Feeds many inputs to a function: none may make it throw, take long, or leave a mark on `Object.prototype`.
 *
 * A slow input is tried again before it counts, because the machine may have been busy.
 */
export function fuzz<T>({ count, input, run, millisecondsMax = 100 }: Fuzz<T>): void {
  const marks = (): string => Object.getOwnPropertyNames(Object.prototype).join();
  const before = marks();
  const timed = (value: T): number => {
    const started = performance.now();
    try {
      run(value);
    } catch (error) {
      throw new Error(`for ${show(value)}`, { cause: error });
    }
    return performance.now() - started;
  };
  for (let index = 0; index < count; index++) {
    const value = input(index);
    let milliseconds = timed(value);
    for (let again = 0; milliseconds > millisecondsMax && again < 3; again++)
      milliseconds = Math.min(milliseconds, timed(value));
    if (milliseconds > millisecondsMax) assert.fail(`${milliseconds} ms for ${show(value)}`);
  }
  assert.equal(marks(), before);
}

function show(value: unknown): string {
  return inspect(value, { depth: 20, breakLength: Infinity }).slice(0, 2_000);
}
