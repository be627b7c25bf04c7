/** A seeded pseudo-random number generator (xorshift32) for tests: the same seed yields the same sequence. */
export class Dice {
  private state: number;

  constructor(seed: number) {
    this.state = seed | 0 || 1;
  }

  /** Returns an integer from 0 to `limit` - 1. */
  below(limit: number): number {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) % limit;
  }

  /** Returns a random element of a list. */
  pick<T>(list: readonly [T, ...T[]]): T {
    return list[this.below(list.length)] ?? list[0];
  }

  /** Returns true with a probability of `percent` percent. */
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }
}
