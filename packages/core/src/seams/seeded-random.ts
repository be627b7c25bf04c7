import { checkBound, type Random, toUnit } from "./random.ts";

/**
 * Chance that is the same for the same seed, on every machine and in every release.
 *
 * Made for tests and simulations: a failure is repeated by its seed. The generator is sfc32 (a small fast counting
 * generator), its state is filled from the seed by a 32-bit FNV-1a hash and mixed before the first number.
 *
 * @example
 * const random = new SeededRandom("seed 42");
 * random.int(6); // always the same first throw
 */
export class SeededRandom implements Random {
  readonly seed: string;
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number | string) {
    this.seed = String(seed);
    this.#a = fnv1a(`a${this.seed}`);
    this.#b = fnv1a(`b${this.seed}`);
    this.#c = fnv1a(`c${this.seed}`);
    for (let i = 0; i < 15; i += 1) this.#next32();
  }

  next(): number {
    return toUnit(this.#next32(), this.#next32());
  }

  int(maxExclusive: number): number {
    checkBound(maxExclusive);
    return Math.floor(this.next() * maxExclusive);
  }

  /**
   * A generator of its own for a part of the program, derived from this one's seed and the label.
   *
   * It depends on nothing else, not even on how many numbers were drawn here, so one part that draws more does not
   * change the luck of the others. The same label gives the same numbers again.
   */
  fork(label: string): SeededRandom {
    return new SeededRandom(`${this.seed}/${label}`);
  }

  #next32(): number {
    const result = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + result) | 0;
    return result >>> 0;
  }
}

/** FNV-1a over the UTF-16 units of a text, 32 bits. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
}
