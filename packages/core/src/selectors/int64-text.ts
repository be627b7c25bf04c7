/** Parses a 64-bit integer with an optional sign, like Go's `strconv.ParseInt`. Returns undefined if it is invalid. */
export function readInt64(text: string): bigint | undefined {
  const [, sign, digits] = /^([+-]?)0*([0-9]{1,19})$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const value = sign === "-" ? -BigInt(digits) : BigInt(digits);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
