import { quote } from "@homeostat/cel";
import { isNumber } from "./value-order.ts";
import { isList, isRecord } from "@homeostat/core";
import { compareBytes } from "../codec/go-text.ts";

/** Returns the Go type name that the API server prints for a JSON value, such as `map[string]interface {}`. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (isNumber(value)) return typeof value === "bigint" || Number.isInteger(value) ? "int64" : "float64";
  return isList(value) ? "[]interface {}" : "map[string]interface {}";
}

/** Formats a value as Go's `%v` does: `&{map[a:1 b:[x y]]}`. */
export function shownValue(value: unknown): string {
  return `&{${shown(value)}}`;
}

/** Formats a value as Go's `%#v` does: `&value.valueUnstructured{Value:"x"}`. */
export function detailedValue(value: unknown): string {
  return `&value.valueUnstructured{Value:${detailed(value)}}`;
}

/** Formats a number. */
export type NumberText = (value: number | bigint) => string;

/** Formats a value for the path of a list item: `"a"`, `80`, `true`. */
export function pathValue(value: unknown, numberText: NumberText): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return quote(value);
  if (isNumber(value)) return numberText(value);
  if (isList(value)) return `[${value.map((item) => pathValue(item, numberText)).join(",")}]`;
  if (isRecord(value)) {
    return sortedKeys(value)
      .map((key) => `${key}=${pathValue(value[key], numberText)}`)
      .join("");
  }
  return value === true ? "true" : "false";
}

/** Formats a number of an object: integers that fit in 64 bits without an exponent. */
export function plainNumber(value: number | bigint): string {
  const isWhole = typeof value === "bigint" || (Number.isInteger(value) && Math.abs(value) < 2 ** 63);
  return isWhole ? BigInt(value).toString() : doubleNumber(value);
}

/**
 * Formats a number as a double: the fewest digits, with an exponent from 1e6 on and below 1e-4.
 *
 * Values read from a field set are always doubles, so conflicts show `[port=1e+06]`.
 */
export function doubleNumber(number: number | bigint): string {
  const value = Number(number);
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

function shown(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "<nil>";
  if (isNumber(value)) return plainNumber(value);
  if (isList(value)) return `[${value.map(shown).join(" ")}]`;
  if (isRecord(value)) {
    return `map[${sortedKeys(value)
      .map((key) => `${key}:${shown(value[key])}`)
      .join(" ")}]`;
  }
  return value === true ? "true" : "false";
}

function detailed(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value === "string") return quote(value);
  if (isNumber(value)) return plainNumber(value);
  if (isList(value)) return `[]interface {}{${value.map(detailed).join(", ")}}`;
  if (isRecord(value)) {
    return `map[string]interface {}{${sortedKeys(value)
      .map((key) => `${quote(key)}:${detailed(value[key])}`)
      .join(", ")}}`;
  }
  return value === true ? "true" : "false";
}

function sortedKeys(record: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(record).sort(compareBytes);
}
