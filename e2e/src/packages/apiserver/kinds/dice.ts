// Small tools of chance for generators: every choice comes from one seed.

import { SeededRandom } from "@homeostat/core";

/** Makes choices. */
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
    if (value === undefined) throw new Error("nothing to choose from");
    return value;
  }

  /** `{ [name]: make() }` with a chance, else nothing. */
  maybe(probability: number, name: string, make: () => unknown): Record<string, unknown> {
    return this.chance(probability) ? { [name]: make() } : {};
  }

  /** From none to `most` things. */
  some<T>(most: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.below(most + 1) }, (_, index) => make(index));
  }
}
