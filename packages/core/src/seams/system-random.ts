import { checkBound, type Random, toUnit } from "./random.ts";

/** How many words are fetched at a time: asking costs more than the chance itself. */
const poolWords = 256;

let pool: Uint32Array<ArrayBuffer> | undefined;
let used = poolWords;

/** The chance of the machine. A program makes its choice once, in `main`, and passes it on. */
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
