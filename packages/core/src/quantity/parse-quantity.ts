import { ParseError } from "../errors/parse-error.ts";
import { compareDecimals, type Decimal, int64Max, roundedAt } from "./decimal.ts";
import { Quantity } from "./quantity.ts";
import { readSuffix, type Suffix } from "./suffix.ts";

// Parsing takes more than linear time. Kubernetes has no such limit.
const lengthMax = 10_000;

/**
 * Parses a quantity: a number and a suffix (`n u m k M G T P E`, `Ki Mi Gi Ti Pi Ei`, or an exponent such as `e3`).
 *
 * Accepts the same texts as Kubernetes, up to 10,000 characters. Fractions below nano are rounded away from zero, and binary
 * quantities are capped at 2⁶³ - 1. Throws {@link ParseError} with the position.
 *
 * @example
 * parseQuantity("0.1").milliValue(); // 100n
 */
export function parseQuantity(text: string): Quantity {
  const pieces = split(text);
  const suffix = readSuffix(pieces.suffix);
  if (suffix === undefined) {
    throw failure(
      text,
      pieces.suffixAt,
      "unknown suffix; supported are n u m k M G T P E Ki Mi Gi Ti Pi Ei and exponents such as e3",
    );
  }
  return fitsFastForm(pieces, suffix) ? readSmall(text, pieces, suffix) : readLarge(text, pieces, suffix);
}

/** Reports whether {@link parseQuantity} accepts a text. */
export function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch (error) {
    if (error instanceof ParseError) return false;
    throw error;
  }
}

/** The parts of a quantity. */
interface Pieces {
  readonly isNegative: boolean;
  /** The digits before the point without leading zeros; `"0"` if there are none. */
  readonly whole: string;
  readonly fraction: string;
  /** True if there is a digit before the suffix. */
  readonly hasDigits: boolean;
  readonly suffix: string;
  readonly suffixAt: number;
}

const suffixLetters = /^[eEinumkKMGTP]*[+-]?[0-9]*/;

function split(text: string): Pieces {
  if (text === "") throw failure(text, 0, "empty; expected a quantity such as 2, 500m or 1.5Gi");
  if (text.length > lengthMax) throw failure(text, lengthMax, `longer than ${lengthMax} characters`);
  const numberAt = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
  const wholeEnd = digitsEnd(text, numberAt);
  const hasPoint = text[wholeEnd] === ".";
  const suffixAt = hasPoint ? digitsEnd(text, wholeEnd + 1) : wholeEnd;
  const fraction = hasPoint ? text.slice(wholeEnd + 1, suffixAt) : "";
  const suffix = suffixLetters.exec(text.slice(suffixAt))?.[0] ?? "";
  if (suffixAt + suffix.length < text.length) {
    throw failure(text, suffixAt + suffix.length, "unexpected character; a quantity is a number and a suffix");
  }
  const whole = text.slice(zerosEnd(text, numberAt), wholeEnd);
  return {
    isNegative: text.startsWith("-"),
    whole: whole === "" ? "0" : whole,
    fraction,
    hasDigits: wholeEnd > numberAt || fraction !== "",
    suffix,
    suffixAt,
  };
}

// Kubernetes has two parsers. The fast one returns a 64-bit integer with a scale, the slow one a decimal of any size. They accept
// different texts ("Ki" is 0 for the fast one, "Ei" is rejected by the slow one), keep different texts for printing, and return
// different representations, which asInt64 distinguishes. The choice of the parser must therefore be the same here.
const fastDigitsMax = 18;
const fastBinaryDigitsMax = 14;
const nano = -9;

function fitsFastForm({ whole, fraction }: Pieces, { base, exponent }: Suffix): boolean {
  if (base === 2) return fraction === "" && whole.length + (exponent * 3) / 10 <= fastBinaryDigitsMax;
  return whole.length + fraction.length <= fastDigitsMax && scaleOf(exponent, fraction) >= nano;
}

/** Returns the power of ten of the last digit, in 32 bits as in Kubernetes. */
function scaleOf(exponent: number, fraction: string): number {
  return (exponent - fraction.length) | 0;
}

function readSmall(
  text: string,
  { isNegative, whole, fraction }: Pieces,
  { base, exponent, format }: Suffix,
): Quantity {
  const digits = whole + fraction;
  const size = BigInt(digits);
  const scale = base === 2 ? 0 : scaleOf(exponent, fraction);
  const scaled = base === 2 ? size << BigInt(exponent) : size;
  // Like Kubernetes, keep the text for printing if it looks canonical by these checks. They miss some, such as 1.500.
  const isKept =
    base === 2 ? (size & 7n) !== 0n : scale % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
  const mantissa = isNegative ? -scaled : scaled;
  return new Quantity({ mantissa, scale, format, isSmall: true, ...(isKept ? { text } : {}) });
}

function readLarge(text: string, pieces: Pieces, { base, exponent, format }: Suffix): Quantity {
  const { isNegative, whole, fraction } = pieces;
  if (!pieces.hasDigits) throw failure(text, pieces.suffixAt, "no digits before the suffix");
  const digits = BigInt(whole + fraction);
  const mantissa = base === 2 ? digits << BigInt(exponent) : digits;
  const scale = base === 2 ? -fraction.length : exponent - fraction.length;
  const exact = atNano({ mantissa, scale });
  const { mantissa: size, scale: sizeScale } =
    format === "BinarySI" && compareDecimals(exact, capped) > 0 ? capped : exact;
  // A binary quantity below one is formatted with decimal suffixes.
  const isFraction = format === "BinarySI" && size > 0n && compareDecimals(exact, one) < 0;
  return new Quantity({
    mantissa: isNegative ? -size : size,
    scale: sizeScale,
    format: isFraction ? "DecimalSI" : format,
    isSmall: false,
  });
}

const one: Decimal = { mantissa: 1n, scale: 0 };
const capped: Decimal = { mantissa: int64Max, scale: 0 };
const writtenOutMax = 400;

/**
 * Rounds a size up to whole nanos and returns it at that scale, as Kubernetes stores it.
 *
 * Sizes beyond the range of a double are returned unchanged: the result is equivalent, and adding the zeros could take very long.
 */
function atNano(size: Decimal): Decimal {
  if (size.mantissa === 0n || size.scale > writtenOutMax) return size;
  return { mantissa: roundedAt(size, nano), scale: nano };
}

function digitsEnd(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

function zerosEnd(text: string, from: number): number {
  let at = from;
  while (text[at] === "0") at += 1;
  return at;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function failure(input: string, offset: number, problem: string): ParseError {
  return new ParseError({ what: "quantity", input, offset, problem });
}
