/** A small seeded source of chance: the same seed gives the same requests on every machine. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number from 0 up to, not including, `below`. */
  int(below: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * below);
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.int(items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  /** A text with some places cut out, doubled, or replaced by one of the pieces. */
  spoil(text: string, pieces: readonly string[]): string {
    let spoilt = text;
    for (let times = 1 + this.int(3); times > 0; times -= 1) {
      const from = this.int(spoilt.length + 1);
      const to = Math.min(spoilt.length, from + this.int(4));
      const instead = this.int(4) === 0 ? spoilt.slice(from, from + 8).repeat(2) : this.pick(pieces);
      spoilt = spoilt.slice(0, from) + instead + spoilt.slice(to);
    }
    return spoilt;
  }
}
