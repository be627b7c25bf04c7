import { checkBound, type Random, toUnit } from "./random.ts";

/**
 * A random generator that returns the same numbers for the same seed, on every machine and in every release.
 *
 * For tests and simulations: a failure can be reproduced with its seed. The generator is sfc32 (small fast counting). Its state is
 * initialized with a 32-bit FNV-1a hash of the seed and mixed before the first number.
 *
 * @example
 * const random = new SeededRandom("seed 42");
 * random.int(6); // Always the same first number.
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
   * Returns a separate generator for a part of the program, derived from the seed of this one and the label.
   *
   * It does not depend on how many numbers were drawn here, so that a part that draws more numbers does not affect the others. The
   * same label gives the same numbers again.
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

/** Returns the 32-bit FNV-1a hash of the UTF-16 code units of a text. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
}
