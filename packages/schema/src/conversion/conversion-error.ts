import { HomeostatError } from "@homeostat/core";

/**
 * Thrown when an object cannot be converted: its version is unknown, a conversion function failed, or it holds more
 * than the version it was written through can carry.
 */
export class ConversionError extends HomeostatError {
  readonly code = "CONVERSION";
  /** The object, as `namespace/name` or `name`. */
  readonly key: string;

  constructor(key: string, problem: string, options?: ErrorOptions) {
    super(`${key} cannot be converted: ${problem}.`, options);
    this.key = key;
  }
}
