import { once } from "../value/once.ts";

/**
 * How a quantity writes its size: `DecimalSI` as `12M`, `BinarySI` as `12Mi`, `DecimalExponent` as `12e6`.
 *
 * A quantity remembers the form it was read in and prints in the same form again.
 */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** What a suffix multiplies by: `base` to the power of `exponent`. */
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

/** The meaning of a suffix, or `undefined` when there is no such suffix: `"Ki"`, `"m"`, `""`, `"e-3"`. */
export function readSuffix(text: string): Suffix | undefined {
  const known = byText().get(text);
  if (known !== undefined) return known;
  const exponent = /^[eE]([+-]?[0-9]+)$/.exec(text)?.[1];
  if (exponent === undefined) return undefined;
  const power = readPower(exponent);
  return power === undefined ? undefined : { base: 10, exponent: power, format: "DecimalExponent" };
}

/** The suffix that stands for `10 ** exponent` in this format. */
export function decimalSuffix(exponent: number, format: "DecimalSI" | "DecimalExponent"): string {
  if (format === "DecimalExponent") return exponent === 0 ? "" : `e${exponent}`;
  // Kubernetes prints no suffix past E, and with it loses the size: 1000E prints as 1. What it stores we must show.
  return decimalText().get(exponent) ?? "";
}

/** The suffix that stands for `2 ** exponent`; nothing past Ei, as in Kubernetes. */
export function binarySuffix(exponent: number): string {
  return binaryText().get(exponent) ?? "";
}

/**
 * An exponent as Kubernetes keeps it: read as 64 bits, cut to 32.
 *
 * So `1e4294967296` is 1 there and here. Refusing it would make this reader differ from the API server.
 */
function readPower(text: string): number | undefined {
  // Nineteen digits hold every 64-bit number; leading zeros may make the text as long as it likes.
  const digits = text.replace(/^[+-]?0*/, "");
  if (digits.length > 19) return undefined;
  const power = text.startsWith("-") ? -BigInt(`0${digits}`) : BigInt(`0${digits}`);
  return BigInt.asIntN(64, power) === power ? Number(BigInt.asIntN(32, power)) : undefined;
}
