import { CelFailure } from "../failure.ts";
import { formatTimestamp } from "../values/timestamp-text.ts";
import { formatDuration } from "../values/duration-text.ts";
import { elementsOf } from "../values/collections.ts";
import { formatDouble } from "../values/double-text.ts";
import { CelDuration } from "../values/duration.ts";
import { compareText } from "../values/text.ts";
import { CelTimestamp } from "../values/timestamp.ts";
import { typeNameOf } from "../values/type-of.ts";
import { CelList, CelMap, CelTypeValue, CelUint, type CelResult, type CelValue } from "../values/value.ts";
import { formatFixed } from "./decimal-text.ts";
import type { FormatClause } from "./format-clauses.ts";
import { unsupportedMessage, type ClauseKind } from "./format-messages.ts";
import { quote } from "./go-quote.ts";
import { formatFixedPoint, formatScientific } from "./locale-number.ts";
import { Malformed } from "./malformed.ts";
import { toByteText } from "./utf8-text.ts";

const defaultPrecision = 6;

/** Formats a value for a clause of a format string, or returns the problem if the clause does not support it. */
export function fillClause({ verb, precision }: FormatClause, value: CelValue): string | Malformed {
  switch (verb) {
    case "s":
      return formatString(value);
    case "d":
      return typeof value === "bigint" || value instanceof CelUint
        ? String(wholeOf(value))
        : unsupported("decimal", value);
    case "f": {
      const number = doubleOf(value);
      return number === undefined
        ? unsupported("fixed", value)
        : formatFixedPoint(number, precision ?? defaultPrecision);
    }
    case "e": {
      const number = doubleOf(value);
      // As in Kubernetes, the precision is used as the width.
      return number === undefined
        ? unsupported("scientific", value)
        : formatScientific(number, precision ?? defaultPrecision);
    }
    case "b":
      if (typeof value === "boolean") return value ? "1" : "0";
      return wholeOf(value)?.toString(2) ?? unsupported("binary", value);
    case "o":
      return wholeOf(value)?.toString(8) ?? unsupported("octal", value);
    case "x":
      return formatHex(value) ?? unsupported("hex", value);
    case "X":
      return formatHex(value)?.toUpperCase() ?? unsupported("hex", value);
  }
}

function unsupported(kind: ClauseKind, value: CelValue): Malformed {
  return new Malformed(unsupportedMessage(kind, typeNameOf(value)));
}

function wholeOf(value: CelValue): bigint | undefined {
  if (typeof value === "bigint") return value;
  return value instanceof CelUint ? value.value : undefined;
}

/** Returns the value of a double, or of the string `NaN`, `Infinity` or `-Infinity`; undefined for others. */
function doubleOf(value: CelValue): number | undefined {
  if (typeof value === "number") return value;
  return value === "NaN" || value === "Infinity" || value === "-Infinity" ? Number(value) : undefined;
}

function formatHex(value: CelValue): string | undefined {
  if (value instanceof Uint8Array) return Array.from(value, byteHex).join("");
  if (typeof value === "string") {
    return Array.from(toByteText(value), (byte) => byteHex(byte.charCodeAt(0))).join("");
  }
  return wholeOf(value)?.toString(16);
}

function byteHex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

/** Formats a value for `%s`. */
function formatString(value: CelValue): string | Malformed {
  if (typeof value === "number") return formatDouble(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof Uint8Array) return decode(value);
  if (value instanceof CelList) return formatList(value);
  if (value instanceof CelMap) return formatMap(value);
  return unsupported("string", value);
}

function decode(bytes: Uint8Array): string | Malformed {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new Malformed('could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string');
  }
}

function formatList(list: CelList): string | Malformed {
  const shown: string[] = [];
  for (const element of elementsOf(list)) {
    const text = formatMember(element);
    if (text instanceof Malformed) return text;
    shown.push(text);
  }
  return `[${shown.join(", ")}]`;
}

function formatMap(map: CelMap): string | Malformed {
  const entries: { key: string; value: string }[] = [];
  for (const key of map.keys()) {
    const keyText = formatMember(key);
    if (keyText instanceof Malformed) return keyText;
    const valueText = formatMember(map.find(key) ?? null);
    if (valueText instanceof Malformed) return valueText;
    entries.push({ key: keyText, value: valueText });
  }
  entries.sort((left, right) => compareText(left.key, right.key));
  return `{${entries.map(({ key, value }) => `${key}:${value}`).join(", ")}}`;
}

/** Formats an element, key or value of a list or map as a CEL expression. */
function formatMember(value: CelResult): string | Malformed {
  if (value instanceof CelFailure) return new Malformed(value.message);
  if (typeof value === "string") return quote(value);
  if (typeof value === "number") {
    const text = formatFixed(value, defaultPrecision);
    return Number.isFinite(value) ? text : quote(text);
  }
  if (value instanceof CelTimestamp) return `timestamp(${quote(formatTimestamp(value))})`;
  if (value instanceof CelDuration) return `duration(${quote(formatDuration(value))})`;
  if (value instanceof Uint8Array) {
    const text = decode(value);
    return text instanceof Malformed ? text : `b${quote(text)}`;
  }
  const text = isShown(value) ? formatString(value) : undefined;
  return text ?? new Malformed(`no formatting function for ${typeNameOf(value)}`);
}

function isShown(value: CelValue): boolean {
  if (typeof value !== "object" || value === null) return true;
  return (
    value instanceof CelUint || value instanceof CelTypeValue || value instanceof CelList || value instanceof CelMap
  );
}
