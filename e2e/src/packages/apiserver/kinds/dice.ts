// Random choices for generators; all of them depend on one seed.

import { SeededRandom } from "@homeostat/core";

/** Makes random choices. */
export class Dice {
  readonly #random: SeededRandom;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  below(limit: number): number {
    return Math.floor(this.#random.next() * limit);
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error("cannot choose from an empty list");
    return value;
  }

  /** Returns `{ [name]: make() }` with a probability, or an empty object. */
  maybe(probability: number, name: string, make: () => unknown): Record<string, unknown> {
    return this.chance(probability) ? { [name]: make() } : {};
  }

  /** Returns a list of up to `most` items. */
  some<T>(most: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.below(most + 1) }, (_, index) => make(index));
  }
}
