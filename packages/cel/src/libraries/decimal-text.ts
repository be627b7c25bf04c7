/*
 * Doubles as decimal digits, rounded once and exactly: halves go to the even neighbour. `toFixed` and `toPrecision` round
 * halves up and stop at 100 digits.
 */

/** A finite number without its sign. Its value is `0.digits × 10^point`; zero has no digits. */
export interface DecimalDigits {
  /** Without zeros at either end. */
  readonly digits: string;
  readonly point: number;
}

/** No double has more digits after the point. */
const fractionDigitsMax = 1074;

/** A finite number rounded to a count of digits after the point. */
export function roundFraction(value: number, fractionDigits: number): DecimalDigits {
  const scale = Math.min(fractionDigits, fractionDigitsMax);
  const { mantissa, exponent } = decompose(Math.abs(value));
  const scaled = shiftRounding(mantissa * 10n ** BigInt(scale), exponent);
  return normalize(scaled.toString(), scale);
}

/** A finite number rounded to a count of significant digits. */
export function roundSignificant(value: number, significantDigits: number): DecimalDigits {
  const { digits, point } = roundFraction(value, fractionDigitsMax);
  if (digits.length <= significantDigits) return { digits, point };
  const kept = digits.slice(0, significantDigits);
  const rest = digits.slice(significantDigits);
  // The digits are the exact value, so a rest of "5" alone is a true half.
  const isUp = rest === "5" ? Number(kept.at(-1)) % 2 === 1 : rest >= "5";
  const rounded = (BigInt(kept) + (isUp ? 1n : 0n)).toString();
  return { digits: trimZeros(rounded), point: point + (rounded.length - kept.length) };
}

/** A number with a fixed count of digits after the point, as in `-1234.500`. Not finite: `NaN`, `+Inf`, `-Inf`. */
export function formatFixed(value: number, fractionDigits: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const isNegative = value < 0 || Object.is(value, -0);
  const { whole, fraction } = splitAtPoint(roundFraction(value, fractionDigits));
  const shown = fractionDigits === 0 ? "" : `.${fraction.padEnd(fractionDigits, "0")}`;
  return `${isNegative ? "-" : ""}${whole}${shown}`;
}

/** The digits before the point (at least one) and after it (without trailing zeros). */
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

/** A double as `mantissa × 2^exponent`. */
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

/** `value × 2^exponent` as a whole number, halves to even. */
function shiftRounding(value: bigint, exponent: number): bigint {
  if (exponent >= 0) return value << BigInt(exponent);
  const shift = BigInt(-exponent);
  const quotient = value >> shift;
  const doubled = (value - (quotient << shift)) << 1n;
  const unit = 1n << shift;
  const isUp = doubled > unit || (doubled === unit && (quotient & 1n) === 1n);
  return isUp ? quotient + 1n : quotient;
}
