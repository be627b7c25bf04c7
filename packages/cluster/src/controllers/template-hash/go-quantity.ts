import { isQuantity, parseQuantity } from "@homeostat/core";

/**
 * Prints a `resource.Quantity` with its internal fields.
 *
 * Go stores small quantities as int64 and scale and larger ones as a decimal. It also caches the text of a small
 * quantity if a quick check finds it in canonical form; the check has false negatives, which must be reproduced here
 * because the cached text is part of the hash input.
 */
export function printQuantity(value: unknown): string {
  const text = typeof value === "number" ? String(value) : typeof value === "string" && isQuantity(value) ? value : "0";
  const { mantissa, scale, format } = parseQuantity(text);
  const { isSmall, isTextCached } = storageOf(text);
  const small = isSmall
    ? `value:(int64)${mantissa} scale:(resource.Scale)${scale}`
    : "value:(int64)0 scale:(resource.Scale)0";
  const large = isSmall ? "<nil>" : printDecimal(mantissa, -scale);
  return (
    `{i:(resource.int64Amount){${small}} d:(resource.infDecAmount){Dec:(*inf.Dec)${large}} ` +
    `s:(string)${isTextCached ? text : ""} Format:(resource.Format)${format}}`
  );
}

/** Bits of each binary suffix. */
const binary: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

/** Reports whether Go stores a quantity as int64 (by its rough estimate), and whether it caches the text. */
function storageOf(text: string): { readonly isSmall: boolean; readonly isTextCached: boolean } {
  if (text === "0") return { isSmall: true, isTextCached: true };
  const [, whole = "", fraction = "", suffix = ""] = /^[+-]?(\d*)\.?(\d*)(.*)$/.exec(text) ?? [];
  // Leading zeros do not count.
  const digits = whole.replace(/^0+(?=\d)/, "");
  const bits = binary[suffix];
  if (bits === undefined) {
    const shifted = digits + fraction;
    const isSmall = shifted.length <= 18;
    return {
      isSmall,
      isTextCached: isSmall && fraction.length % 3 === 0 && !shifted.endsWith("000") && !shifted.startsWith("0"),
    };
  }
  const isSmall = fraction === "" && 14 - digits.length - Math.trunc(Math.fround(bits * 3) / 10) >= 0;
  return { isSmall, isTextCached: isSmall && (BigInt(digits === "" ? "0" : digits) & 7n) !== 0n };
}

/** Prints an `inf.Dec`: its digits in 64-bit words, lowest first. */
function printDecimal(mantissa: bigint, scale: number): string {
  const words: bigint[] = [];
  for (let rest = mantissa < 0n ? -mantissa : mantissa; rest > 0n; rest >>= 64n)
    words.push(rest & 0xffff_ffff_ffff_ffffn);
  const digits = words.length === 0 ? "<nil>" : `[${words.join(" ")}]`;
  return `{unscaled:(big.Int){neg:(bool)${mantissa < 0n} abs:(big.nat)${digits}} scale:(inf.Scale)${scale}}`;
}
