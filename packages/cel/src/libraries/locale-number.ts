import { roundFraction, roundSignificant, splitAtPoint } from "./decimal-text.ts";

/*
 * Doubles as `%f` and `%e` print them: for readers of American English. The format library of the API server keeps its
 * counts of digits in small integers; what they cannot hold wraps around, and so do the results here.
 */

/** A number with digits in groups of three and a fixed count of digits after the point: `1,234.500000`. */
export function formatFixedPoint(value: number, precision: number): string {
  if (isBeyondReading(precision)) return unreadable;
  if (!Number.isFinite(value)) return formatSpecial(value);
  const fractionMax = wrapInt16(precision);
  const digits = fractionMax < 0 ? roundSignificant(value, shortestDigits(value)) : roundFraction(value, fractionMax);
  const { whole, fraction } = splitAtPoint(digits);
  const shown = fraction.padEnd(precision % 256, "0");
  return `${value < 0 ? "-" : ""}${groupThousands(whole)}${shown === "" ? "" : `.${shown}`}`;
}

const scientificDigits = 7;

/** A number as `1.234568×10⁰³`, with spaces in front up to a width. The count of digits is always the same. */
export function formatScientific(value: number, width: number): string {
  if (isBeyondReading(width)) return unreadable;
  return formatUnpadded(value).padStart(width % 65_536);
}

function formatUnpadded(value: number): string {
  if (!Number.isFinite(value)) return formatSpecial(value);
  const { digits, point } = roundSignificant(value, scientificDigits);
  const shown = digits.padEnd(scientificDigits, "0");
  const exponent = digits === "" ? 0 : point - 1;
  const power = String(Math.abs(exponent)).padStart(2, "0");
  const raised = `${exponent < 0 ? "⁻" : ""}${power.replace(/[0-9]/g, (digit) => superscripts.charAt(Number(digit)))}`;
  return `${value < 0 ? "-" : ""}${shown.charAt(0)}.${shown.slice(1)}×10${raised}`;
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function formatSpecial(value: number): string {
  return Number.isNaN(value) ? "NaN" : value < 0 ? "-∞" : "∞";
}

function groupThousands(digits: string): string {
  const first = digits.length % 3;
  const groups = digits.slice(first).match(/.../g) ?? [];
  return (first === 0 ? groups : [digits.slice(0, first), ...groups]).join(",");
}

/** How many digits the shortest text has that reads back as the same number. */
function shortestDigits(value: number): number {
  return value.toExponential().replace(/e.*$|[.-]/g, "").length;
}

const unreadable = "%!(NOVERB)";

/** Whether the format library gives up on a number: while reading it, a further digit comes after passing a million. */
function isBeyondReading(count: number): boolean {
  return Math.floor(count / 10) > 1_000_000;
}

function wrapInt16(count: number): number {
  const low = count % 65_536;
  return low >= 32_768 ? low - 65_536 : low;
}
