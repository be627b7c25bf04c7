// Prints values as the API server, a Go program, does in its messages. Clients and tests compare these messages.

import { quote } from "@homeostat/cel";
import { cutText } from "@homeostat/core";
import { isInt64 } from "../value/int64.ts";
import { valueDepthMax } from "../value/json.ts";

/** Maximum number of characters of a value that a short message repeats. */
export const shownLengthMax = 256;

/** Prints a value as in a message of the API server: strings quoted, numbers plain, everything else as JSON with sorted keys. */
export function printValue(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "number") return printNumber(value);
  return printJson(value);
}

/** Prints a value like {@link printValue}, cut to {@link shownLengthMax} characters. Takes no longer for a value of megabytes. */
export function printShort(value: unknown): string {
  if (typeof value === "string") return quote(cutText(value, shownLengthMax));
  return cutText(
    typeof value === "number" ? printNumber(value) : printJson(value, { lengthMax: shownLengthMax }),
    shownLengthMax,
  );
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

/**
 * Prints a value as Go's JSON encoder does: keys sorted, `<`, `>` and `&` escaped. Parts nested too deep are printed as `…`.
 *
 * Printing stops soon after `lengthMax` characters. The result is longer then, and not complete.
 */
export function printJson(value: unknown, { lengthMax = Infinity }: { readonly lengthMax?: number } = {}): string {
  const output = { parts: [], length: 0, lengthMax };
  write(value, output, 0);
  return output.parts.join("");
}

interface Output {
  readonly parts: string[];
  length: number;
  readonly lengthMax: number;
}

function write(value: unknown, output: Output, depth: number): void {
  if (depth > valueDepthMax) put(output, '"…"');
  else if (typeof value === "bigint") put(output, value.toString());
  else if (typeof value === "number" && Number.isInteger(value)) put(output, printInteger(value));
  else if (typeof value === "string") put(output, textJson(value, output));
  else if (Array.isArray(value)) {
    put(output, "[");
    for (const [index, element] of value.entries()) {
      if (output.length > output.lengthMax) return;
      if (index > 0) put(output, ",");
      write(element, output, depth + 1);
    }
    put(output, "]");
  } else if (typeof value === "object" && value !== null) {
    put(output, "{");
    const entries = Object.entries(value).sort(([a], [b]) => compareText(a, b));
    for (const [index, [key, element]] of entries.entries()) {
      if (output.length > output.lengthMax) return;
      put(output, `${index > 0 ? "," : ""}${textJson(key, output)}:`);
      write(element, output, depth + 1);
    }
    put(output, "}");
  } else put(output, JSON.stringify(value) ?? "null");
}

function put(output: Output, text: string): void {
  output.parts.push(text);
  output.length += text.length;
}

function textJson(text: string, { lengthMax }: Output): string {
  return escapeHtml(JSON.stringify(text.length > lengthMax ? text.slice(0, lengthMax) : text));
}

const htmlEscapes = ["<", ">", "&", "\u2028", "\u2029"].map(
  (character) => [character, `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`] as const,
);

/** Escapes characters as Go does. One native replacement per character: a callback per match is slow for texts of megabytes. */
function escapeHtml(text: string): string {
  if (!/[<>&\u2028\u2029]/.test(text)) return text;
  return htmlEscapes.reduce((escaped, [character, escape]) => escaped.replaceAll(character, escape), text);
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
