import { QuantityRangeError } from "./range-error.ts";

/** A number written as `mantissa × 10 ** scale`. Exact: there is no rounding until someone asks for it. */
export interface Decimal {
  readonly mantissa: bigint;
  readonly scale: number;
}

/** The sign of a comparison. */
export type Ordering = -1 | 0 | 1;

/** The largest number a 64-bit integer holds. */
export const int64Max: bigint = 2n ** 63n - 1n;

const digitsMax = 100_000;

/** Whether a whole number fits a 64-bit integer. */
export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/** Less, equal or greater, by value; `1000m` equals `1`. Takes no longer for exponents in the thousands of millions. */
export function compareDecimals(a: Decimal, b: Decimal): Ordering {
  if (a.scale === b.scale) return orderOf(a.mantissa, b.mantissa);
  const sign = signOf(a.mantissa);
  if (sign !== signOf(b.mantissa)) return orderOf(BigInt(sign), BigInt(signOf(b.mantissa)));
  if (sign === 0) return 0;
  // The place of the first digit decides nearly always, and where it does not, the scales lie no further apart
  // than the mantissas are long.
  const [placeA, placeB] = [firstPlace(a), firstPlace(b)];
  if (placeA !== placeB) return placeA > placeB === sign > 0 ? 1 : -1;
  const scale = Math.min(a.scale, b.scale);
  return orderOf(a.mantissa * 10n ** BigInt(a.scale - scale), b.mantissa * 10n ** BigInt(b.scale - scale));
}

/** The whole number `value × 10 ** -scale`, rounded away from zero. Throws {@link QuantityRangeError}. */
export function roundedAt(value: Decimal, scale: number): bigint {
  return value.scale >= scale ? raised(value, scale) : dividedAwayFromZero(value.mantissa, scale - value.scale);
}

/**
 * The mantissa of a number written at a smaller or equal scale: 12 k at scale 0 is 12000.
 * Throws {@link QuantityRangeError} when that takes more zeros than anybody can mean.
 */
export function raised({ mantissa, scale }: Decimal, to: number): bigint {
  if (mantissa === 0n || scale === to) return mantissa;
  const zeros = scale - to;
  if (zeros > digitsMax) throw new QuantityRangeError(zeros);
  return mantissa * 10n ** BigInt(zeros);
}

/** The sign of a whole number. */
export function signOf(value: bigint): Ordering {
  return orderOf(value, 0n);
}

function dividedAwayFromZero(mantissa: bigint, places: number): bigint {
  if (mantissa === 0n) return 0n;
  const sign = BigInt(signOf(mantissa));
  // Past the last digit only the fact that something is there remains.
  if (places > lengthOf(mantissa)) return sign;
  const divisor = 10n ** BigInt(places);
  const quotient = mantissa / divisor;
  return quotient * divisor === mantissa ? quotient : quotient + sign;
}

function orderOf(a: bigint, b: bigint): Ordering {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function firstPlace({ mantissa, scale }: Decimal): number {
  return lengthOf(mantissa) + scale;
}

function lengthOf(mantissa: bigint): number {
  const text = mantissa.toString();
  return mantissa < 0n ? text.length - 1 : text.length;
}
