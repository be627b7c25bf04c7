import { ArgumentError } from "../errors/argument-error.ts";

/**
 * The source of randomness in this project. It is always passed in, so that tests and simulations are repeatable.
 *
 * Use it for jitter, names and choices. Do not use it for secrets: a seeded generator is predictable.
 */
export interface Random {
  /** Returns a number from 0 (inclusive) to 1 (exclusive) with 53 random bits. */
  next(): number;
  /** Returns an integer from 0 (inclusive) to `maxExclusive`, uniformly distributed. */
  int(maxExclusive: number): number;
}

/** Throws an `ArgumentError` if a bound of `int` is not a positive integer. */
export function checkBound(maxExclusive: number): void {
  if (!Number.isSafeInteger(maxExclusive) || maxExclusive < 1) {
    throw new ArgumentError({
      argument: "maxExclusive",
      problem: `is ${maxExclusive}; it must be an integer of at least 1.`,
    });
  }
}

/** Converts 53 bits of two 32-bit numbers to a number from 0 to 1. */
export function toUnit(high: number, low: number): number {
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
}

/**
 * Returns a random delay from `ms` to `ms * (1 + factor)`.
 *
 * Use it to spread operations of many processes that would otherwise happen at the same moment: reconnects, relists, renewals.
 */
export function jitter(random: Random, ms: number, factor: number): number {
  return ms * (1 + factor * random.next());
}

/** The characters of generated names: no vowels, to avoid words, and no characters that are easily confused. */
export const nameAlphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Returns a random suffix of a name, like that of Kubernetes for `generateName`. Default: five characters. */
export function nameSuffix(random: Random, length = 5): string {
  return Array.from({ length }, () => nameAlphabet[random.int(nameAlphabet.length)]).join("");
}

/** Returns a random UUID (version 4), like the UID of a new object. */
export function uuid(random: Random): string {
  const hex = (digits: number): string =>
    random
      .int(16 ** digits)
      .toString(16)
      .padStart(digits, "0");
  const variant = "89ab"[random.int(4)] ?? "8";
  return `${hex(8)}-${hex(4)}-4${hex(3)}-${variant}${hex(3)}-${hex(6)}${hex(6)}`;
}
