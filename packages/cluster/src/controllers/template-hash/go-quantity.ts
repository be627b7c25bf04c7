import { isQuantity, parseQuantity } from "@homeostat/core";

/**
 * A quantity as Go keeps and prints it.
 *
 * A small one is digits and a power of ten; a large one a decimal in billionths. Of a small one that is written as
 * shortly as can be the text is kept, too, by a quick test that fails some that are.
 */
export function printQuantity(value: unknown): string {
  const text = typeof value === "number" ? String(value) : typeof value === "string" && isQuantity(value) ? value : "0";
  const { mantissa, scale, format } = parseQuantity(text);
  const { isSmall, isKept } = howKept(text);
  const small = isSmall
    ? `value:(int64)${mantissa} scale:(resource.Scale)${scale}`
    : "value:(int64)0 scale:(resource.Scale)0";
  const large = isSmall ? "<nil>" : printDecimal(mantissa, -scale);
  return (
    `{i:(resource.int64Amount){${small}} d:(resource.infDecAmount){Dec:(*inf.Dec)${large}} ` +
    `s:(string)${isKept ? text : ""} Format:(resource.Format)${format}}`
  );
}

/** How many bits each binary suffix stands for. */
const binary: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

/** Whether a quantity has room in 64 bits by a rough estimate, and whether its text is kept. */
function howKept(text: string): { readonly isSmall: boolean; readonly isKept: boolean } {
  if (text === "0") return { isSmall: true, isKept: true };
  const [, whole = "", fraction = "", suffix = ""] = /^[+-]?(\d*)\.?(\d*)(.*)$/.exec(text) ?? [];
  // Zeros in front of a number do not count.
  const digits = whole.replace(/^0+(?=\d)/, "");
  const bits = binary[suffix];
  if (bits === undefined) {
    const shifted = digits + fraction;
    const isSmall = shifted.length <= 18;
    return {
      isSmall,
      isKept: isSmall && fraction.length % 3 === 0 && !shifted.endsWith("000") && !shifted.startsWith("0"),
    };
  }
  const isSmall = fraction === "" && 14 - digits.length - Math.trunc(Math.fround(bits * 3) / 10) >= 0;
  return { isSmall, isKept: isSmall && (BigInt(digits === "" ? "0" : digits) & 7n) !== 0n };
}

/** A decimal: its digits in words of 64 bits, the lowest first. */
function printDecimal(mantissa: bigint, scale: number): string {
  const words: bigint[] = [];
  for (let rest = mantissa < 0n ? -mantissa : mantissa; rest > 0n; rest >>= 64n)
    words.push(rest & 0xffff_ffff_ffff_ffffn);
  const digits = words.length === 0 ? "<nil>" : `[${words.join(" ")}]`;
  return `{unscaled:(big.Int){neg:(bool)${mantissa < 0n} abs:(big.nat)${digits}} scale:(inf.Scale)${scale}}`;
}
