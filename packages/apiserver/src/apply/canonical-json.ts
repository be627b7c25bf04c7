import { isList, isRecord } from "@homeostat/core";
import { compareBytes } from "../codec/go-text.ts";

/**
 * Formats JSON the way the API server does inside path elements and annotations: sorted keys, no spaces, and `<`, `>`,
 * `&` and the two Unicode line separators escaped.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string") return jsonText(value);
  if (typeof value === "number") return jsonNumber(value);
  if (typeof value === "bigint") return value.toString();
  if (isList(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (isRecord(value)) {
    const members = Object.keys(value)
      .filter((key) => value[key] !== undefined)
      .sort(compareBytes)
      .map((key) => `${jsonText(key)}:${canonicalJson(value[key])}`);
    return `{${members.join(",")}}`;
  }
  return value === true ? "true" : value === false ? "false" : "null";
}

/** Strings that need no escapes in JSON. */
const plain = /^[ !#-%'-;=?-[\]-~]*$/;

/** Formats a string in JSON quotes, with the escapes of {@link canonicalJson}. */
export function jsonText(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  return JSON.stringify(text)
    .replace(/\\[bf]/g, (short) => (short === "\\b" ? "\\u0008" : "\\u000c"))
    .replace(/[<>&\u2028\u2029]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function jsonNumber(value: number): string {
  if (!Number.isFinite(value)) return "null";
  // Go writes exponents with at least two digits: 1e-07.
  return String(value).replace(/e([+-])(\d)$/, "e$10$2");
}
