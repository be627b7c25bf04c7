import { approximate } from "./approximate.ts";
import { canonicalText } from "./canonical.ts";
import { compareDecimals, type Decimal, isInt64, type Ordering, raised, roundedAt, signOf } from "./decimal.ts";
import type { QuantityFormat } from "./suffix.ts";

/** The parts of a {@link Quantity}. */
export interface QuantityParts extends Decimal {
  readonly format: QuantityFormat;
  /** True if Kubernetes stores the number as a 64-bit integer with a scale. Affects {@link Quantity.asInt64}. */
  readonly isSmall: boolean;
  /** The parsed text, if Kubernetes would print it unchanged. */
  readonly text?: string;
}

/**
 * A quantity of a resource: `500m` of CPU, `1.5Gi` of memory. Immutable and exact, without floating point.
 *
 * Created by {@link parseQuantity} or {@link quantityFromInteger}. Quantities with the same value are equal whatever their format:
 * `1000m` equals `1`.
 *
 * @example
 * parseQuantity("1.5Gi").add(parseQuantity("512Mi")).toString(); // "2Gi"
 */
export class Quantity implements Decimal {
  /** With {@link scale}, the value: `mantissa × 10 ** scale`. */
  readonly mantissa: bigint;
  readonly scale: number;
  /** The format that the quantity is printed in. */
  readonly format: QuantityFormat;
  readonly #isSmall: boolean;
  #text: string | undefined;

  constructor({ mantissa, scale, format, isSmall, text }: QuantityParts) {
    this.mantissa = mantissa;
    this.scale = scale;
    this.format = format;
    this.#isSmall = isSmall;
    this.#text = text;
  }

  /** Returns -1, 0 or 1. */
  sign(): Ordering {
    return signOf(this.mantissa);
  }

  isZero(): boolean {
    return this.mantissa === 0n;
  }

  /** Returns -1 if this is less than `other`, 1 if greater, 0 if they are equal. */
  compareTo(other: Quantity): Ordering {
    return compareDecimals(this, other);
  }

  equals(other: Quantity): boolean {
    return this.compareTo(other) === 0;
  }

  isLessThan(other: Quantity): boolean {
    return this.compareTo(other) < 0;
  }

  isGreaterThan(other: Quantity): boolean {
    return this.compareTo(other) > 0;
  }

  /**
   * Returns the sum in the format of this quantity, or in that of `other` if this is zero.
   * Throws {@link QuantityRangeError} if the exponents differ by more than 100,000.
   */
  add(other: Quantity): Quantity {
    const format = this.isZero() ? other.format : this.format;
    const bothSmall = this.#isSmall && other.#isSmall;
    if (bothSmall && other.isZero()) return this.#with({ mantissa: this.mantissa, scale: this.scale, format });
    if (bothSmall && this.isZero()) return this.#with({ mantissa: other.mantissa, scale: other.scale, format });
    const scale = Math.min(this.scale, other.scale);
    const [left, right] = [raised(this, scale), raised(other, scale)];
    const sum = left + right;
    const isSmall = bothSmall && isInt64(left) && isInt64(right) && isInt64(sum);
    return new Quantity({ mantissa: sum, scale, format, isSmall });
  }

  /** Returns the difference in the format of this quantity, or in that of `other` if this is zero. Throws {@link QuantityRangeError}. */
  sub(other: Quantity): Quantity {
    return this.add(other.negated());
  }

  negated(): Quantity {
    const mantissa = -this.mantissa;
    return new Quantity({
      mantissa,
      scale: this.scale,
      format: this.format,
      isSmall: this.#isSmall && isInt64(mantissa),
    });
  }

  /** Returns the product with an integer. */
  times(factor: bigint | number): Quantity {
    const by = BigInt(factor);
    const mantissa = this.mantissa * by;
    if (this.#isSmall && mantissa === 0n) {
      return this.#with({ mantissa, scale: this.isZero() ? this.scale : 0, format: this.format });
    }
    // Kubernetes leaves the 64-bit representation if the product is not a 64-bit integer.
    const isSmall = this.#isSmall && isInt64(mantissa) && isWholeInt64({ mantissa, scale: this.scale });
    return new Quantity({ mantissa, scale: this.scale, format: this.format, isSmall });
  }

  /**
   * Returns the value in whole units, rounded away from zero. Throws {@link QuantityRangeError} for an exponent above 100,000.
   *
   * Kubernetes returns 64 bits, which overflow silently; this result is always exact.
   */
  value(): bigint {
    return roundedAt(this, 0);
  }

  /** Returns the value in thousandths, rounded away from zero: 1500 for `1.5`. Throws {@link QuantityRangeError}. */
  milliValue(): bigint {
    return roundedAt(this, -3);
  }

  /**
   * Returns the value as a 64-bit integer if Kubernetes stores it as one, else undefined.
   *
   * Not every integer qualifies: `1000m`, `1.0Gi` and `100Ti` are integers, but Kubernetes stores them in another representation.
   * CEL's `asInteger()` and `isInteger()` behave this way. To get the value use {@link value}.
   */
  asInt64(): bigint | undefined {
    return this.#isSmall && this.scale >= 0 && isWholeInt64(this) ? raised(this, 0) : undefined;
  }

  /** Reports whether {@link asInt64} returns a value. CEL's `isInteger()`. */
  isInteger(): boolean {
    return this.asInt64() !== undefined;
  }

  /** Returns the value as a double, rounded, or infinite if it is out of range. CEL's `asApproximateFloat()`. */
  asApproximateNumber(): number {
    return approximate(this);
  }

  /** Returns the canonical text, whatever text was parsed: `1500m` for both `1.500` and `1.5`. */
  canonical(): string {
    return canonicalText(this, this.format);
  }

  /**
   * Returns the text that Kubernetes prints: the canonical text, except that a parsed text that needs no rescaling is kept, such as
   * `1.500`, `+5Ki` and `1E3`.
   */
  toString(): string {
    this.#text ??= this.canonical();
    return this.#text;
  }

  toJSON(): string {
    return this.toString();
  }

  #with({ mantissa, scale, format }: Pick<QuantityParts, "mantissa" | "scale" | "format">): Quantity {
    return new Quantity({ mantissa, scale, format, isSmall: this.#isSmall });
  }
}

/** Creates a quantity of whole units: `quantityFromInteger(1024, "BinarySI")` prints `1Ki`. */
export function quantityFromInteger(value: bigint | number, format: QuantityFormat = "DecimalSI"): Quantity {
  const mantissa = BigInt(value);
  return new Quantity({ mantissa, scale: 0, format, isSmall: isInt64(mantissa) });
}

/** Creates a quantity of thousandths: `quantityFromMilli(1500)` prints `1500m`. */
export function quantityFromMilli(value: bigint | number, format: QuantityFormat = "DecimalSI"): Quantity {
  const mantissa = BigInt(value);
  return new Quantity({ mantissa, scale: -3, format, isSmall: isInt64(mantissa) });
}

const int64Digits = 19;

function isWholeInt64({ mantissa, scale }: Decimal): boolean {
  if (mantissa === 0n || scale === 0) return true;
  if (scale > 0) return scale < int64Digits && isInt64(mantissa * 10n ** BigInt(scale));
  return scale > -int64Digits && mantissa % 10n ** BigInt(-scale) === 0n;
}
