/** Reports whether the API server decodes a number as `int64`. It does so for every integer that fits. */
export function isInt64(value: unknown): boolean {
  if (typeof value === "bigint") return value === BigInt.asIntN(64, value);
  return typeof value === "number" && Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}
