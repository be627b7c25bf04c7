import { HomeostatError, isRecord, ownValue } from "@homeostat/core";

/**
 * Thrown when an object cannot be converted: its version is unknown, a conversion function failed, or values that the other
 * version cannot represent would be lost.
 */
export class ConversionError extends HomeostatError {
  readonly code = "CONVERSION";
  /** `namespace/name` or `name` of the object. */
  readonly key: string;

  constructor(key: string, problem: string, options?: ErrorOptions) {
    super(`${key} cannot be converted: ${problem}.`, options);
    this.key = key;
  }
}

/** Returns `namespace/name` or `name` of an object for a {@link ConversionError}. Accepts any value. */
export function convertedKey(object: unknown): string {
  const metadata = isRecord(object) ? ownValue(object, "metadata") : undefined;
  const name = isRecord(metadata) ? ownValue(metadata, "name") : undefined;
  if (!isRecord(metadata) || typeof name !== "string") return "An object without a name";
  const namespace = ownValue(metadata, "namespace");
  return typeof namespace === "string" ? `${namespace}/${name}` : name;
}
