import { compareDecimals, type Decimal, roundedAt } from "./decimal.ts";
import { binarySuffix, decimalSuffix, type QuantityFormat } from "./suffix.ts";

/**
 * Formats a number in canonical form: with the largest suffix that needs no fraction and loses no precision.
 *
 * A binary quantity below 1 Ki or with a fraction is formatted with decimal suffixes, as in Kubernetes.
 */
export function canonicalText(value: Decimal, format: QuantityFormat): string {
  if (value.mantissa === 0n) return "0";
  if (format !== "BinarySI") return decimalText(value, format);
  return isBelowOneKi(value) || hasFraction(value) ? decimalText(value, "DecimalSI") : binaryText(value);
}

function decimalText({ mantissa, scale }: Decimal, format: "DecimalSI" | "DecimalExponent"): string {
  const digits = mantissa.toString();
  const bare = withoutTrailingZeros(digits);
  // Kubernetes stores exponents in 32 bits and lets them overflow; `| 0` does the same.
  const exponent = (scale + digits.length - bare.length) | 0;
  const zeros = ((exponent % 3) + 3) % 3;
  return bare + "0".repeat(zeros) + decimalSuffix((exponent - zeros) | 0, format);
}

function binaryText(value: Decimal): string {
  const whole = roundedAt(value, 0);
  // The position of the lowest set bit is the number of factors of 2; suffixes have steps of ten.
  const twos = (whole & -whole).toString(2).length - 1;
  const exponent = twos - (twos % 10);
  return (whole / 2n ** BigInt(exponent)).toString() + binarySuffix(exponent);
}

function isBelowOneKi(value: Decimal): boolean {
  const limit = { mantissa: 1024n, scale: 0 };
  const negative = { mantissa: -1024n, scale: 0 };
  return compareDecimals(value, limit) < 0 && compareDecimals(value, negative) > 0;
}

function hasFraction(value: Decimal): boolean {
  return value.scale < 0 && compareDecimals({ mantissa: roundedAt(value, 0), scale: 0 }, value) !== 0;
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 1 && digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}
