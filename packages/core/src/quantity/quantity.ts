import { approximate } from "./approximate.ts";
import { canonicalText } from "./canonical.ts";
import { compareDecimals, type Decimal, isInt64, type Ordering, raised, roundedAt, signOf } from "./decimal.ts";
import type { QuantityFormat } from "./suffix.ts";

/** What a {@link Quantity} is made of. */
export interface QuantityParts extends Decimal {
  readonly format: QuantityFormat;
  /** Whether Kubernetes would hold the number as a 64-bit integer with a scale. Decides {@link Quantity.asInt64}. */
  readonly isSmall: boolean;
  /** The text the quantity was read from, when Kubernetes would print it unchanged. */
  readonly text?: string;
}

/**
 * An amount of a resource: `500m` of CPU, `1.5Gi` of memory. Immutable and exact; no floating point inside.
 *
 * Made by {@link parseQuantity} or {@link quantityFromInteger}. Two quantities of the same size are equal whatever their form:
 * `1000m` equals `1`.
 *
 * @example
 * parseQuantity("1.5Gi").add(parseQuantity("512Mi")).toString(); // "2Gi"
 */
export class Quantity implements Decimal {
  /** With {@link scale}, the size: `mantissa × 10 ** scale`. */
  readonly mantissa: bigint;
  readonly scale: number;
  /** The form the quantity prints in. */
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

  /** -1, 0 or 1. */
  sign(): Ordering {
    return signOf(this.mantissa);
  }

  isZero(): boolean {
    return this.mantissa === 0n;
  }

  /** -1 when this is less than `other`, 1 when greater, 0 when they are the same size. */
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
   * The sum, in the form of this quantity; zero takes the form of `other`.
   * Throws {@link QuantityRangeError} when one of the two has an absurd exponent.
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

  /** The difference, in the form of this quantity; zero takes the form of `other`. Throws {@link QuantityRangeError}. */
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

  /** The product with a whole number. */
  times(factor: bigint | number): Quantity {
    const by = BigInt(factor);
    const mantissa = this.mantissa * by;
    if (this.#isSmall && mantissa === 0n) {
      return this.#with({ mantissa, scale: this.isZero() ? this.scale : 0, format: this.format });
    }
    // Kubernetes leaves the 64-bit form when the product is not a whole 64-bit number.
    const isSmall = this.#isSmall && isInt64(mantissa) && isWholeInt64({ mantissa, scale: this.scale });
    return new Quantity({ mantissa, scale: this.scale, format: this.format, isSmall });
  }

  /**
   * The size in whole units, rounded away from zero. Throws {@link QuantityRangeError} for an absurd exponent.
   *
   * Kubernetes answers with 64 bits, and wrongly when they overflow; this answer is always right.
   */
  value(): bigint {
    return roundedAt(this, 0);
  }

  /** The size in thousandths, rounded away from zero: `milliValue` of `1.5` is 1500. Throws {@link QuantityRangeError}. */
  milliValue(): bigint {
    return roundedAt(this, -3);
  }

  /**
   * The size as a 64-bit integer if Kubernetes has it as one at hand, else `undefined`.
   *
   * That is narrower than being whole: `1000m`, `1.0Gi` and `100Ti` are whole, but kept in another form.
   * CEL's `asInteger()` and `isInteger()` answer so. For the size itself use {@link value}.
   */
  asInt64(): bigint | undefined {
    return this.#isSmall && this.scale >= 0 && isWholeInt64(this) ? raised(this, 0) : undefined;
  }

  /** Whether {@link asInt64} has an answer; CEL's `isInteger()`. */
  isInteger(): boolean {
    return this.asInt64() !== undefined;
  }

  /** The size as a double: rounded, and infinite where a double is too small. CEL's `asApproximateFloat()`. */
  asApproximateNumber(): number {
    return approximate(this);
  }

  /** The canonical text, whatever the quantity was read from: `1.500` and `1.5` both give `1500m`. */
  canonical(): string {
    return canonicalText(this, this.format);
  }

  /**
   * The text Kubernetes prints. Canonical, except that a text which needs no rescaling is given back as it was read:
   * `1.500`, `+5Ki` and `1E3` stay so.
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

/** A quantity of so many whole units: `quantityFromInteger(1024, "BinarySI")` prints `1Ki`. */
export function quantityFromInteger(value: bigint | number, format: QuantityFormat = "DecimalSI"): Quantity {
  const mantissa = BigInt(value);
  return new Quantity({ mantissa, scale: 0, format, isSmall: isInt64(mantissa) });
}

/** A quantity of so many thousandths: `quantityFromMilli(1500)` prints `1500m`. */
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
