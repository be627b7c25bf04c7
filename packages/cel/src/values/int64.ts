/** The smallest int. */
export const intMin: bigint = -(2n ** 63n);
/** The largest int. */
export const intMax: bigint = 2n ** 63n - 1n;
/** The largest uint. */
export const uintMax: bigint = 2n ** 64n - 1n;

/** Reports whether an integer fits an int (64 bits, signed). */
export function isInt64(value: bigint): boolean {
  return value >= intMin && value <= intMax;
}

/** Reports whether an integer fits a uint (64 bits, unsigned). */
export function isUint64(value: bigint): boolean {
  return value >= 0n && value <= uintMax;
}
