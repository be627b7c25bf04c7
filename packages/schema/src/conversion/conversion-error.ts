import { HomeostatError, isRecord, ownValue } from "@homeostat/core";

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

/** Returns how a {@link ConversionError} names an object that may not be one: `namespace/name`, as far as it has them. */
export function convertedKey(object: unknown): string {
  const metadata = isRecord(object) ? ownValue(object, "metadata") : undefined;
  const name = isRecord(metadata) ? ownValue(metadata, "name") : undefined;
  if (!isRecord(metadata) || typeof name !== "string") return "An object without a name";
  const namespace = ownValue(metadata, "namespace");
  return typeof namespace === "string" ? `${namespace}/${name}` : name;
}
