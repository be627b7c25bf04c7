/*
 * Exact conversion of doubles to decimal digits, rounding half to even. `toFixed` and `toPrecision` round half up and are limited to
 * 100 digits.
 */

/** A finite number without its sign. Its value is `0.digits × 10^point`; zero has no digits. */
export interface DecimalDigits {
  /** Significant digits, without leading and trailing zeros. */
  readonly digits: string;
  readonly point: number;
}

/** Maximum number of digits after the decimal point of any double. */
const fractionDigitsMax = 1074;

/** Rounds a finite number to a number of digits after the decimal point. */
export function roundFraction(value: number, fractionDigits: number): DecimalDigits {
  const scale = Math.min(fractionDigits, fractionDigitsMax);
  const { mantissa, exponent } = decompose(Math.abs(value));
  const scaled = shiftRounding(mantissa * 10n ** BigInt(scale), exponent);
  return normalize(scaled.toString(), scale);
}

/** Rounds a finite number to a number of significant digits. */
export function roundSignificant(value: number, significantDigits: number): DecimalDigits {
  const { digits, point } = roundFraction(value, fractionDigitsMax);
  if (digits.length <= significantDigits) return { digits, point };
  const kept = digits.slice(0, significantDigits);
  const rest = digits.slice(significantDigits);
  // The digits are exact, so a remainder of "5" is exactly one half.
  const isUp = rest === "5" ? Number(kept.at(-1)) % 2 === 1 : rest >= "5";
  const rounded = (BigInt(kept) + (isUp ? 1n : 0n)).toString();
  return { digits: trimZeros(rounded), point: point + (rounded.length - kept.length) };
}

/** Formats a number with a fixed number of digits after the decimal point: `-1234.500`, or `NaN`, `+Inf`, `-Inf`. */
export function formatFixed(value: number, fractionDigits: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const isNegative = value < 0 || Object.is(value, -0);
  const { whole, fraction } = splitAtPoint(roundFraction(value, fractionDigits));
  const shown = fractionDigits === 0 ? "" : `.${fraction.padEnd(fractionDigits, "0")}`;
  return `${isNegative ? "-" : ""}${whole}${shown}`;
}

/** Returns the digits before the decimal point (at least one) and after it (without trailing zeros). */
export function splitAtPoint({ digits, point }: DecimalDigits): { whole: string; fraction: string } {
  if (point <= 0) return { whole: "0", fraction: "0".repeat(digits === "" ? 0 : -point) + digits };
  return { whole: digits.slice(0, point).padEnd(point, "0"), fraction: digits.slice(point) };
}

function normalize(digits: string, scale: number): DecimalDigits {
  const significant = digits.replace(/^0+/, "");
  const trimmed = trimZeros(significant);
  return { digits: trimmed, point: trimmed === "" ? 0 : significant.length - scale };
}

function trimZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charAt(end - 1) === "0") end -= 1;
  return digits.slice(0, end);
}

/** Decomposes a double into `mantissa × 2^exponent`. */
function decompose(value: number): { mantissa: bigint; exponent: number } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const raw = bits.getBigUint64(0);
  const exponent = Number((raw >> 52n) & 0x7ffn);
  const fraction = raw & ((1n << 52n) - 1n);
  return exponent === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: exponent - 1075 };
}

/** Returns `value × 2^exponent` as an integer, rounded half to even. */
function shiftRounding(value: bigint, exponent: number): bigint {
  if (exponent >= 0) return value << BigInt(exponent);
  const shift = BigInt(-exponent);
  const quotient = value >> shift;
  const doubled = (value - (quotient << shift)) << 1n;
  const unit = 1n << shift;
  const isUp = doubled > unit || (doubled === unit && (quotient & 1n) === 1n);
  return isUp ? quotient + 1n : quotient;
}
