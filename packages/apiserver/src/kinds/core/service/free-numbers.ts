import type { Random } from "@homeostat/core";

/**
 * A range for allocation. As in KEP-3070, dynamic allocation prefers its upper part, so that the lower part stays free for clients that
 * request a specific number.
 */
export interface NumberBand {
  readonly first: number;
  readonly last: number;
  /** Number of values at the beginning that are allocated only when all others are taken. */
  readonly reserved: number;
}

/** Returns a random number that is not taken; undefined when all are. */
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
