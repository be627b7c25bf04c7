import { HomeostatError } from "../errors/error.ts";

/**
 * Thrown when an exact result would need more than 100,000 additional digits.
 *
 * Texts such as `1e2000000000` are valid quantities and can be compared, but their sum with `1` has two billion digits.
 */
export class QuantityRangeError extends HomeostatError {
  readonly code = "QUANTITY_RANGE";
  /** The number of digits that the result would need beyond those of its operands. */
  readonly digits: number;

  constructor(digits: number) {
    super(
      `The exact result needs ${digits} more digits than its operands. ` +
        "Compare the quantities first, and reject unreasonable values.",
    );
    this.digits = digits;
  }
}
