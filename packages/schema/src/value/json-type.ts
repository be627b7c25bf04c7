import { isInt64 } from "../problem/print.ts";

/** The type of a JSON value in the words of the API server, where a number is an `integer` when it fits an int64. */
export type JsonType = "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";

/** The type of a JSON value. */
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
