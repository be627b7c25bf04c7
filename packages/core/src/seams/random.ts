import { ArgumentError } from "../errors/argument-error.ts";

/**
 * Chance, as everything in this project sees it: passed in, so that a test or a simulation can repeat it.
 *
 * Fit for jitter, names and choices. Not for secrets: a seeded one can be guessed.
 */
export interface Random {
  /** A number from 0 up to, but not including, 1, with 53 random bits. */
  next(): number;
  /** A whole number from 0 up to, but not including, `maxExclusive`, each as likely as the next. */
  int(maxExclusive: number): number;
}

/** Refuses a bound of `int` that leaves nothing to choose from. */
export function checkBound(maxExclusive: number): void {
  if (!Number.isSafeInteger(maxExclusive) || maxExclusive < 1) {
    throw new ArgumentError({
      argument: "maxExclusive",
      problem: `is ${maxExclusive}; it must be a whole number of at least 1.`,
    });
  }
}

/** 53 bits out of two numbers of 32, as a number from 0 to 1. */
export function toUnit(high: number, low: number): number {
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
}

/**
 * A delay with some chance in it: from `ms` up to `ms * (1 + factor)`.
 *
 * Spreads what would otherwise happen everywhere at the same moment: reconnects, relists, renewals.
 */
export function jitter(random: Random, ms: number, factor: number): number {
  return ms * (1 + factor * random.next());
}

/** The letters and digits of generated names: no vowels, so no words; and nothing that is easily misread. */
export const nameAlphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Random characters for the end of a name, as Kubernetes makes them for `generateName`: five unless told otherwise. */
export function nameSuffix(random: Random, length = 5): string {
  return Array.from({ length }, () => nameAlphabet[random.int(nameAlphabet.length)]).join("");
}

/** A random UUID (version 4), as an API server gives to a new object. */
export function uuid(random: Random): string {
  const hex = (digits: number): string =>
    random
      .int(16 ** digits)
      .toString(16)
      .padStart(digits, "0");
  const variant = "89ab"[random.int(4)] ?? "8";
  return `${hex(8)}-${hex(4)}-4${hex(3)}-${variant}${hex(3)}-${hex(6)}${hex(6)}`;
}
