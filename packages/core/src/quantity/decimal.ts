import { QuantityRangeError } from "./range-error.ts";

/** An exact number `mantissa × 10 ** scale`. */
export interface Decimal {
  readonly mantissa: bigint;
  readonly scale: number;
}

/** The result of a comparison. */
export type Ordering = -1 | 0 | 1;

/** The largest signed 64-bit integer. */
export const int64Max: bigint = 2n ** 63n - 1n;

const digitsMax = 100_000;

/** Reports whether an integer fits into 64 bits. */
export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/** Compares two numbers by value: `1000m` equals `1`. The time does not depend on the exponents, which may be in the billions. */
export function compareDecimals(a: Decimal, b: Decimal): Ordering {
  if (a.scale === b.scale) return orderOf(a.mantissa, b.mantissa);
  const sign = signOf(a.mantissa);
  if (sign !== signOf(b.mantissa)) return orderOf(BigInt(sign), BigInt(signOf(b.mantissa)));
  if (sign === 0) return 0;
  // Nearly always the magnitude decides. If it is the same, the scales differ by no more than the lengths of the mantissas, so
  // that the power of ten below is small.
  const [magnitudeA, magnitudeB] = [magnitudeOf(a), magnitudeOf(b)];
  if (magnitudeA !== magnitudeB) return magnitudeA > magnitudeB === sign > 0 ? 1 : -1;
  const scale = Math.min(a.scale, b.scale);
  return orderOf(a.mantissa * 10n ** BigInt(a.scale - scale), b.mantissa * 10n ** BigInt(b.scale - scale));
}

/** Returns the integer `value × 10 ** -scale`, rounded away from zero. Throws {@link QuantityRangeError}. */
export function roundedAt(value: Decimal, scale: number): bigint {
  return value.scale >= scale ? raised(value, scale) : dividedAwayFromZero(value.mantissa, scale - value.scale);
}

/**
 * Returns the mantissa of a number at a smaller or equal scale: 12k at scale 0 is 12000.
 * Throws {@link QuantityRangeError} if that adds more than 100,000 digits.
 */
export function raised({ mantissa, scale }: Decimal, to: number): bigint {
  if (mantissa === 0n || scale === to) return mantissa;
  const zeros = scale - to;
  if (zeros > digitsMax) throw new QuantityRangeError(zeros);
  return mantissa * 10n ** BigInt(zeros);
}

/** Returns the sign of an integer. */
export function signOf(value: bigint): Ordering {
  return orderOf(value, 0n);
}

function dividedAwayFromZero(mantissa: bigint, places: number): bigint {
  if (mantissa === 0n) return 0n;
  const sign = BigInt(signOf(mantissa));
  // All digits are divided away; rounding away from zero leaves 1 or -1.
  if (places > lengthOf(mantissa)) return sign;
  const divisor = 10n ** BigInt(places);
  const quotient = mantissa / divisor;
  return quotient * divisor === mantissa ? quotient : quotient + sign;
}

function orderOf(a: bigint, b: bigint): Ordering {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Returns the position of the first digit. */
function magnitudeOf({ mantissa, scale }: Decimal): number {
  return lengthOf(mantissa) + scale;
}

function lengthOf(mantissa: bigint): number {
  const text = mantissa.toString();
  return mantissa < 0n ? text.length - 1 : text.length;
}
