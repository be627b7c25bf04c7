import { ParseError } from "../errors/parse-error.ts";
import { compareDecimals, type Decimal, int64Max, roundedAt } from "./decimal.ts";
import { Quantity } from "./quantity.ts";
import { readSuffix, type Suffix } from "./suffix.ts";

// The work grows faster than the number of digits. Kubernetes has no limit and takes the time.
const lengthMax = 10_000;

/**
 * Reads a quantity: a number, then a suffix (`n u m k M G T P E`, `Ki Mi Gi Ti Pi Ei`, or an exponent such as `e3`).
 *
 * Accepts what Kubernetes accepts, up to 10,000 characters: what is finer than nano is rounded away from zero, and binary
 * quantities stop at 2⁶³ - 1. Throws {@link ParseError} naming the place.
 *
 * @example
 * parseQuantity("0.1").milliValue(); // 100n
 */
export function parseQuantity(text: string): Quantity {
  const pieces = split(text);
  const suffix = readSuffix(pieces.suffix);
  if (suffix === undefined) {
    throw failure(text, pieces.suffixAt, "unknown suffix; known are n u m k M G T P E Ki Mi Gi Ti Pi Ei and e3, e-3");
  }
  return fitsFastForm(pieces, suffix) ? readSmall(text, pieces, suffix) : readLarge(text, pieces, suffix);
}

/** Whether {@link parseQuantity} accepts the text. */
export function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch (error) {
    if (error instanceof ParseError) return false;
    throw error;
  }
}

/** A quantity text taken apart. */
interface Pieces {
  readonly isNegative: boolean;
  /** Digits before the point without leading zeros; `"0"` when nothing is left. */
  readonly whole: string;
  readonly fraction: string;
  /** Whether the text has any digit before its suffix. */
  readonly hasDigits: boolean;
  readonly suffix: string;
  readonly suffixAt: number;
}

const suffixLetters = /^[eEinumkKMGTP]*[+-]?[0-9]*/;

function split(text: string): Pieces {
  if (text === "") throw failure(text, 0, "empty; write a number such as 2, 500m or 1.5Gi");
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

// Kubernetes has two ways of reading. The fast one ends in a 64-bit integer with a scale, the slow one in a decimal of any
// size. They accept different texts ("Ki" is 0 to the fast one, "Ei" is refused by the slow one), remember different texts,
// and leave forms that asInt64 tells apart. So the choice has to be the same here.
const fastDigitsMax = 18;
const fastBinaryDigitsMax = 14;
const nano = -9;

function fitsFastForm({ whole, fraction }: Pieces, { base, exponent }: Suffix): boolean {
  if (base === 2) return fraction === "" && whole.length + (exponent * 3) / 10 <= fastBinaryDigitsMax;
  return whole.length + fraction.length <= fastDigitsMax && scaleOf(exponent, fraction) >= nano;
}

/** The power of ten of the last digit, in the 32 bits Kubernetes has for it. */
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
  // The text itself is kept for printing when it looks canonical by these two marks; they miss a few, such as 1.500.
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
  // A binary quantity below one has no binary suffix to print with.
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
 * A size rounded up to whole nanos and written in them, as Kubernetes keeps it.
 *
 * Sizes beyond any double are left as they are: nobody can see the difference, and writing out the zeros could take for ever.
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
