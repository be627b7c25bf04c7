import { checkBound, type Random, toUnit } from "./random.ts";

/** The number of 32-bit words per call of getRandomValues: the call costs more than the numbers. */
const poolWords = 256;

let pool: Uint32Array<ArrayBuffer> | undefined;
let used = poolWords;

/** The random generator of the system. A program selects its generator once, in `main`, and passes it on. */
export const systemRandom: Random = {
  next,
  int(maxExclusive) {
    checkBound(maxExclusive);
    return Math.floor(next() * maxExclusive);
  },
};

function next(): number {
  if (pool === undefined || used === poolWords) {
    pool = crypto.getRandomValues(pool ?? new Uint32Array(poolWords));
    used = 0;
  }
  const high = pool[used] ?? 0;
  const low = pool[used + 1] ?? 0;
  used += 2;
  return toUnit(high, low);
}
