import { once } from "../value/once.ts";

/**
 * The format of a quantity: `DecimalSI` is `12M`, `BinarySI` is `12Mi`, `DecimalExponent` is `12e6`.
 *
 * A quantity is printed in the format that it was parsed from.
 */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** The factor of a suffix: `base` to the power of `exponent`. */
export interface Suffix {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const decimalSuffixes: readonly (readonly [text: string, exponent: number])[] = [
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
];

const binarySuffixes: readonly (readonly [text: string, exponent: number])[] = [
  ["Ki", 10],
  ["Mi", 20],
  ["Gi", 30],
  ["Ti", 40],
  ["Pi", 50],
  ["Ei", 60],
];

const byText = once(
  () =>
    new Map<string, Suffix>([
      ...decimalSuffixes.map(([text, exponent]) => [text, { base: 10, exponent, format: "DecimalSI" }] as const),
      ...binarySuffixes.map(([text, exponent]) => [text, { base: 2, exponent, format: "BinarySI" }] as const),
    ]),
);
const decimalText = once(() => new Map(decimalSuffixes.map(([text, exponent]) => [exponent, text])));
const binaryText = once(() => new Map(binarySuffixes.map(([text, exponent]) => [exponent, text])));

/** Parses a suffix such as `"Ki"`, `"m"`, `""` or `"e-3"`. Returns undefined if it is unknown. */
export function readSuffix(text: string): Suffix | undefined {
  const known = byText().get(text);
  if (known !== undefined) return known;
  const exponent = /^[eE]([+-]?[0-9]+)$/.exec(text)?.[1];
  if (exponent === undefined) return undefined;
  const power = readPower(exponent);
  return power === undefined ? undefined : { base: 10, exponent: power, format: "DecimalExponent" };
}

/** Returns the suffix for `10 ** exponent` in a format. */
export function decimalSuffix(exponent: number, format: "DecimalSI" | "DecimalExponent"): string {
  if (format === "DecimalExponent") return exponent === 0 ? "" : `e${exponent}`;
  // Kubernetes prints no suffix beyond E and so loses the magnitude: 1000E prints as 1. This must be the same here, because that
  // is what is stored.
  return decimalText().get(exponent) ?? "";
}

/** Returns the suffix for `2 ** exponent`; empty beyond Ei, as in Kubernetes. */
export function binarySuffix(exponent: number): string {
  return binaryText().get(exponent) ?? "";
}

/**
 * Parses an exponent as Kubernetes does: as 64 bits, truncated to 32.
 *
 * So `1e4294967296` is 1, as on the API server. Rejecting it would be a difference.
 */
function readPower(text: string): number | undefined {
  // A 64-bit number has at most 19 digits, but there may be any number of leading zeros.
  const digits = text.replace(/^[+-]?0*/, "");
  if (digits.length > 19) return undefined;
  const power = text.startsWith("-") ? -BigInt(`0${digits}`) : BigInt(`0${digits}`);
  return BigInt.asIntN(64, power) === power ? Number(BigInt.asIntN(32, power)) : undefined;
}
