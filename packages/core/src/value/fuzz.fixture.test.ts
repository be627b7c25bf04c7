import assert from "node:assert/strict";

/** A small generator of numbers for fuzzing (xorshift32), the same on every run. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 1;
  }

  /** A whole number from 0 to `max - 1`. */
  below(max: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % max;
  }

  pick<T extends {} | null>(list: readonly T[]): T {
    const chosen = list.at(this.below(list.length));
    if (chosen === undefined) throw new Error("nothing to pick from");
    return chosen;
  }

  /** The text with a few characters removed, doubled, exchanged or put in from `alphabet`. */
  mutate(text: string, alphabet: readonly string[]): string {
    let result = text;
    for (let edits = this.below(4); edits >= 0; edits -= 1) {
      const at = this.below(result.length + 1);
      const end = at + this.below(3);
      const middle = this.pick(["", result.slice(at, end), this.pick(alphabet), this.pick(alphabet)]);
      result = result.slice(0, at) + middle + result.slice(this.pick([at, end]));
    }
    return result;
  }
}

/** What fuzzing promises of a parser. */
interface Fuzz<T> {
  readonly seed: number;
  readonly inputs?: number;
  readonly next: (dice: Dice, index: number) => T;
  readonly run: (input: T) => void;
  /** Whether a thrown thing is the parser's own typed error. */
  readonly isExpected: (error: unknown) => boolean;
}

/**
 * Feeds 100,000 inputs to a parser and asserts what is promised of all of them: a result or the typed error, none slower
 * than 100 ms, and `Object.prototype` as it was. Returns how many were accepted, so that a test can see both kinds.
 */
export function fuzz<T>({ seed, inputs = 100_000, next, run, isExpected }: Fuzz<T>): { accepted: number } {
  const dice = new Dice(seed);
  const prototypeBefore = Reflect.ownKeys(Object.prototype).map(String).join();
  let accepted = 0;
  // Most of the time of an expected refusal would go into its stack.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 1;
  for (let index = 0; index < inputs; index += 1) {
    const input = next(dice, index);
    const start = performance.now();
    try {
      run(input);
      accepted += 1;
    } catch (error) {
      if (!isExpected(error)) {
        throw new Error(`input ${index}, ${JSON.stringify(input)?.slice(0, 500)}, threw ${String(error)}`, {
          cause: error,
        });
      }
    }
    const elapsed = performance.now() - start;
    // The machine may pause for longer than that once; the parser would be slow twice.
    if (elapsed > 100) assert.ok(secondTime(run, input) <= 100, `input ${index} took ${elapsed} ms`);
  }
  Error.stackTraceLimit = stackTraceLimit;
  assert.equal(Reflect.ownKeys(Object.prototype).map(String).join(), prototypeBefore, "Object.prototype was changed");
  return { accepted };
}

function secondTime<T>(run: (input: T) => void, input: T): number {
  const start = performance.now();
  try {
    run(input);
  } catch {
    // Only its time is of interest; what it threw was judged the first time.
  }
  return performance.now() - start;
}
