/** A whole number of 64 bits with an optional sign, as Go's `strconv.ParseInt` reads it; else `undefined`. */
export function readInt64(text: string): bigint | undefined {
  const [, sign, digits] = /^([+-]?)0*([0-9]{1,19})$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const value = sign === "-" ? -BigInt(digits) : BigInt(digits);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
