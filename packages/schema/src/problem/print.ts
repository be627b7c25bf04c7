// Prints values as the API server, a Go program, does in its messages. Clients and tests compare these messages.

import { quote } from "@homeostat/cel";
import { isInt64 } from "../value/int64.ts";
import { valueDepthMax } from "../value/json.ts";

/** Prints a value as in a message of the API server: strings quoted, numbers plain, everything else as JSON with sorted keys. */
export function printValue(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "number") return printNumber(value);
  return printJson(value);
}

/** Prints a number as Go's `%v` does: an `int64` with all digits, other numbers as {@link printFloat}. */
export function printNumber(value: number | bigint): string {
  return isInt64(value) ? printInteger(value) : printFloat(Number(value));
}

/** Prints an integer with all digits, without an exponent. */
export function printInteger(value: number | bigint): string {
  return typeof value === "number" && Number.isSafeInteger(value) ? String(value + 0) : BigInt(value).toString();
}

/** Prints a number as Go prints a `float64` with `%v` in messages: `0.5`, and with an exponent from 1e+06 on and below 0.0001. */
export function printFloat(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : value < 0 ? "-Inf" : "NaN";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [digits = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** Prints a value as Go's JSON encoder does: keys sorted, `<`, `>` and `&` escaped. Parts nested too deep are printed as `…`. */
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

/** Compares strings by code point, which equals the byte order that Go uses. JavaScript's `<` compares UTF-16 code units. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Returns the sort rank of a UTF-16 code unit. Surrogates encode the code points above U+FFFF, so they rank last. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
