import { ParseError } from "../errors/parse-error.ts";

/** Nanoseconds per unit, by all names of the unit. */
const units: ReadonlyMap<string, number> = new Map([
  ["ns", 1],
  ["us", 1e3],
  ["µs", 1e3], // U+00B5, the micro sign
  ["μs", 1e3], // U+03BC, the Greek letter
  ["ms", 1e6],
  ["s", 1e9],
  ["m", 60e9],
  ["h", 3600e9],
]);

/** The largest duration plus one; its negative is the smallest duration. */
const limit = 2n ** 63n;

/**
 * Parses a duration of Go, in nanoseconds: `1h30m`, `1.5s`, `-100ms`, `0`.
 *
 * Units are `h m s ms us ns`; there are no days. Throws {@link ParseError} with the position, also beyond 292 years, the limit of
 * 64 bits.
 */
export function parseDuration(text: string): bigint {
  const read = readDuration(text);
  if (typeof read === "bigint") return read;
  throw new ParseError({ what: "duration", input: text, ...read });
}

/** Parses a duration like {@link parseDuration}, but returns undefined if it is invalid. */
export function tryParseDuration(text: string): bigint | undefined {
  const read = readDuration(text);
  return typeof read === "bigint" ? read : undefined;
}

/** The position and problem of an invalid duration. */
interface Fault {
  readonly offset: number;
  readonly problem: string;
}

function readDuration(text: string): bigint | Fault {
  const start = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
  if (text.length === start + 1 && text[start] === "0") return 0n;
  if (text.length === start) return fault(start, "expected a number and a unit, such as 90s or 1h30m");
  let total = 0n;
  let at = start;
  while (at < text.length) {
    const part = readPart(text, at);
    if ("problem" in part) return part;
    total += part.nanoseconds;
    if (total > limit) return tooLong(at);
    at = part.end;
  }
  if (text.startsWith("-")) return -total;
  if (total === limit) return tooLong(start);
  return total;
}

/**
 * Formats a duration in nanoseconds as Go does: `1h30m0s`, `1.5s`, `100ms`, `0s`.
 * {@link parseDuration} returns the same number for the result.
 */
export function formatDuration(nanoseconds: bigint): string {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  return (nanoseconds < 0n ? "-" : "") + (size < 1_000_000_000n ? shortText(Number(size)) : longText(size));
}

/** Formats an elapsed time in whole seconds: `45s`, `3m20s`. */
export function formatElapsedMs(ms: number): string {
  return formatDuration(durationFromMs(Math.round(ms / 1_000) * 1_000));
}

/** Converts nanoseconds to milliseconds, with a fraction. Beyond 104 days a double may round the last digits. */
export function durationToMs(nanoseconds: bigint): number {
  return Number(nanoseconds / 1_000_000n) + Number(nanoseconds % 1_000_000n) / 1e6;
}

/** Converts milliseconds to nanoseconds, rounded. */
export function durationFromMs(ms: number): bigint {
  const whole = Math.trunc(ms);
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6));
}

interface Part {
  readonly nanoseconds: bigint;
  readonly end: number;
}

/** Parses a number with its unit, such as `30m` of `1h30m`. */
function readPart(text: string, start: number): Part | Fault {
  const wholeEnd = digitsEnd(text, start);
  const fractionStart = text[wholeEnd] === "." ? wholeEnd + 1 : wholeEnd;
  const unitStart = fractionStart > wholeEnd ? digitsEnd(text, fractionStart) : wholeEnd;
  if (wholeEnd === start && unitStart === fractionStart) return fault(start, "expected a number");
  const end = unitEnd(text, unitStart);
  if (end === unitStart) return fault(unitStart, "missing unit; units are h m s ms us ns");
  const unit = units.get(text.slice(unitStart, end));
  if (unit === undefined) return fault(unitStart, "unknown unit; units are h m s ms us ns");
  const whole = text.slice(start, wholeEnd).replace(/^0+/, "");
  // 64 bits hold at most 19 digits, so a longer number is out of range.
  if (whole.length > 19) return tooLong(start);
  const nanoseconds = BigInt(whole) * BigInt(unit) + fractionOf(text.slice(fractionStart, unitStart), unit);
  if (nanoseconds > limit) return tooLong(start);
  return { nanoseconds, end };
}

/**
 * Returns the nanoseconds of the digits after the point.
 *
 * Go computes them with doubles, and the result must be the same nanosecond: use as many digits as fit into 64 bits, divide the unit by a
 * power of ten that is computed by repeated multiplication, and truncate the product.
 */
function fractionOf(digits: string, unit: number): bigint {
  const zeros = /^0*/.exec(digits)?.[0].length ?? 0;
  let significant = digits.slice(zeros, zeros + 19);
  if (significant === "") return 0n;
  if (BigInt(significant) > limit) significant = significant.slice(0, 18);
  let scale = 1;
  for (let place = 0; place < zeros + significant.length; place += 1) scale *= 10;
  return BigInt(Math.trunc(Number(BigInt(significant)) * (unit / scale)));
}

/** Formats a duration below a second with the largest unit that gives at least 1. */
function shortText(size: number): string {
  if (size === 0) return "0s";
  if (size < 1e3) return `${size}ns`;
  return size < 1e6 ? `${decimalText(size, 3)}µs` : `${decimalText(size, 6)}ms`;
}

function longText(size: bigint): string {
  const minutes = size / 60_000_000_000n;
  const seconds = `${decimalText(Number(size % 60_000_000_000n), 9)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** Formats an integer with its decimal point moved left, without trailing zeros. */
function decimalText(value: number, places: number): string {
  const digits = String(value).padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/, "");
  return digits.slice(0, -places) + (fraction === "" ? "" : `.${fraction}`);
}

function digitsEnd(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charAt(at))) at += 1;
  return at;
}

function unitEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== "." && !isDigit(text.charAt(at))) at += 1;
  return at;
}

function isDigit(letter: string): boolean {
  return letter >= "0" && letter <= "9";
}

function tooLong(offset: number): Fault {
  return fault(offset, "longer than 292 years, the maximum of a duration");
}

function fault(offset: number, problem: string): Fault {
  return { offset, problem };
}
