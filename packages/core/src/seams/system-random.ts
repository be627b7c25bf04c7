import { checkBound, type Random, toUnit } from "./random.ts";

/** The chance of the machine. A program makes its choice once, in `main`, and passes it on. */
export const systemRandom: Random = {
  next,
  int(maxExclusive) {
    checkBound(maxExclusive);
    return Math.floor(next() * maxExclusive);
  },
};

function next(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return toUnit(high, low);
}
