import { HomeostatError } from "../errors/error.ts";

/**
 * Thrown when an exact answer would need more digits than anybody can mean.
 *
 * Texts such as `1e2000000000` are valid quantities and compare, but their sum with `1` has two thousand million digits.
 */
export class QuantityRangeError extends HomeostatError {
  readonly code = "QUANTITY_RANGE";
  /** How many digits the answer would need beyond those of its operands. */
  readonly digits: number;

  constructor(digits: number) {
    super(
      `The exact result needs ${digits} more digits than its operands. ` +
        "Compare the quantities first, and refuse sizes that make no sense.",
    );
    this.digits = digits;
  }
}
