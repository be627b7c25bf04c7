import { isInt64 } from "./int64.ts";

/** The name of a JSON type in messages of the API server. A number that fits an int64 is an `integer`. */
export type JsonType = "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";

/** Returns the type of a JSON value. `undefined` counts as null. */
export function jsonTypeOf(value: unknown): JsonType {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "number":
    case "bigint":
      return isInt64(value) ? "integer" : "number";
    default:
      if (value === null || value === undefined) return "null";
      return Array.isArray(value) ? "array" : "object";
  }
}
