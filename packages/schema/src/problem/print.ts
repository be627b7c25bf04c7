// How the API server, a Go program, prints values in its messages. Clients and tests compare these texts.

import { quote } from "@homeostat/cel";
import { valueDepthMax } from "../compiled/limits.ts";

/** A value as it stands in an API server message: texts quoted, numbers plain, the rest as JSON with sorted keys. */
export function printValue(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "number") return printNumber(value);
  return printJson(value);
}

/** A number as Go's `%v` prints it: an `int64` in full, others shortest, with an exponent from a million on. */
export function printNumber(value: number | bigint): string {
  return isInt64(value) ? printInteger(value) : printFloat(Number(value));
}

/** Whether a number would be an `int64` to the API server, which is how it keeps every whole number that fits. */
export function isInt64(value: unknown): boolean {
  if (typeof value === "bigint") return value === BigInt.asIntN(64, value);
  return typeof value === "number" && Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

/** A whole number in full, however large. */
export function printInteger(value: number | bigint): string {
  return typeof value === "number" && Number.isSafeInteger(value) ? String(value + 0) : BigInt(value).toString();
}

/** A number as Go prints a `float64` with `%v`: `1e+06`, `0.5`, `1e-05`. */
export function printFloat(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : value < 0 ? "-Inf" : "NaN";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [digits = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** A value as Go's encoder writes JSON: keys sorted, and `<`, `>`, `&` escaped. What is nested too deep shows as `…`. */
export function printJson(value: unknown): string {
  const parts: string[] = [];
  write(value, parts, 0);
  return parts.join("");
}

function write(value: unknown, parts: string[], depth: number): void {
  if (depth > valueDepthMax) parts.push('"…"');
  else if (typeof value === "bigint") parts.push(value.toString());
  else if (typeof value === "number" && Number.isInteger(value)) parts.push(printInteger(value));
  else if (typeof value === "string") parts.push(escapeHtml(JSON.stringify(value)));
  else if (Array.isArray(value)) {
    parts.push("[");
    value.forEach((element, index) => {
      if (index > 0) parts.push(",");
      write(element, parts, depth + 1);
    });
    parts.push("]");
  } else if (typeof value === "object" && value !== null) {
    parts.push("{");
    Object.entries(value)
      .sort(([a], [b]) => compareText(a, b))
      .forEach(([key, element], index) => {
        parts.push(`${index > 0 ? "," : ""}${escapeHtml(JSON.stringify(key))}:`);
        write(element, parts, depth + 1);
      });
    parts.push("}");
  } else parts.push(JSON.stringify(value) ?? "null");
}

function escapeHtml(text: string): string {
  return text.replace(/[<>&\u2028\u2029]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Orders texts by code point, as Go orders their bytes. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Halves of a pair stand for code points beyond all others, so they rank last. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
