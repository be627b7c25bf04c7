import { isIntegerNumber, isJsonObject } from "./json.ts";

/** Reports whether two JSON values are equal, regardless of the order of object keys. */
export function jsonEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((element, index) => jsonEqual(element, right[index]))
    );
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && jsonEqual(left[key], right[key]))
  );
}

/** Returns the Go type of a JSON value, as in messages of the API server. */
export function jsonTypeName(json: unknown): string {
  if (json === null) return "<nil>";
  if (typeof json === "string") return "string";
  if (typeof json === "boolean") return "bool";
  if (typeof json === "number" || typeof json === "bigint") return isIntegerNumber(json) ? "int64" : "float64";
  return Array.isArray(json) ? "[]interface {}" : "map[string]interface {}";
}
