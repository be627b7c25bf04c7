import type { Random } from "@homeostat/core";

/** Numbers to choose from, and which of them to leave to those who name one. */
export interface NumberBand {
  readonly first: number;
  readonly last: number;
  /** How many at the beginning are given away only when the others are all taken. */
  readonly reserved: number;
}

/** A number that is not taken, by chance; undefined when all are. */
export function freeNumber(
  { first, last, reserved }: NumberBand,
  isTaken: (number: number) => boolean,
  random: Random,
): number | undefined {
  const middle = Math.min(first + reserved, last + 1);
  return probe(middle, last, isTaken, random) ?? probe(first, middle - 1, isTaken, random);
}

function probe(first: number, last: number, isTaken: (number: number) => boolean, random: Random): number | undefined {
  const size = last - first + 1;
  if (size <= 0) return undefined;
  const start = random.int(size);
  for (let step = 0; step < size; step += 1) {
    const number = first + ((start + step) % size);
    if (!isTaken(number)) return number;
  }
  return undefined;
}
