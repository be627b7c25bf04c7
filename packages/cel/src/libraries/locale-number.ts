import { roundFraction, roundSignificant, splitAtPoint } from "./decimal-text.ts";

/*
 * Formats doubles for `%f` and `%e` in the locale en-US. The format library of the API server stores numbers of digits in small
 * integers that overflow; the results here wrap around in the same way.
 */

/** Formats a number with grouped digits and a fixed number of digits after the decimal point: `1,234.500000`. */
export function formatFixedPoint(value: number, precision: number): string {
  if (exceedsParserLimit(precision)) return unreadable;
  if (!Number.isFinite(value)) return formatSpecial(value);
  const fractionMax = wrapInt16(precision);
  const digits = fractionMax < 0 ? roundSignificant(value, shortestDigits(value)) : roundFraction(value, fractionMax);
  const { whole, fraction } = splitAtPoint(digits);
  const shown = fraction.padEnd(precision % 256, "0");
  return `${value < 0 ? "-" : ""}${groupThousands(whole)}${shown === "" ? "" : `.${shown}`}`;
}

const scientificDigits = 7;

/** Formats a number as `1.234568×10⁰³`, padded with leading spaces to a width. The number of digits is fixed. */
export function formatScientific(value: number, width: number): string {
  if (exceedsParserLimit(width)) return unreadable;
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

/** Returns the number of digits of the shortest string that parses to the same number. */
function shortestDigits(value: number): number {
  return value.toExponential().replace(/e.*$|[.-]/g, "").length;
}

const unreadable = "%!(NOVERB)";

/** Reports whether the format library fails to parse a number of digits: it stops at a further digit after a million. */
function exceedsParserLimit(count: number): boolean {
  return Math.floor(count / 10) > 1_000_000;
}

function wrapInt16(count: number): number {
  const low = count % 65_536;
  return low >= 32_768 ? low - 65_536 : low;
}
