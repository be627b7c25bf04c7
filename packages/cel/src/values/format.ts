import { CelFailure } from "../failure.ts";
import { CelDuration } from "./duration.ts";
import { formatDuration } from "./duration-text.ts";
import { formatTimestamp } from "./timestamp-text.ts";
import { formatDouble } from "./double-text.ts";
import { CelTimestamp } from "./timestamp.ts";
import { CelList, CelMap, CelOpaque, CelOptional, CelTypeValue, CelUint, type CelResult } from "./value.ts";

const elementsShownMax = 100;

/** Formats a value for error messages. Truncates long lists and maps. */
export function formatValue(value: CelResult): string {
  if (typeof value === "number") return formatDouble(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (value instanceof CelFailure) return value.message;
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelOpaque) return value.type.name;
  if (value instanceof CelOptional) {
    return value.value === undefined ? "optional.none()" : `optional(${formatValue(value.value)})`;
  }
  if (value instanceof CelList) {
    const shown = Array.from({ length: Math.min(value.size, elementsShownMax) }, (_, i) => formatValue(value.at(i)));
    return `[${shown.join(", ")}]`;
  }
  if (value instanceof CelMap) {
    const keys = value.keys().slice(0, elementsShownMax);
    return `{${keys.map((key) => `${formatValue(key)}: ${formatValue(value.find(key) ?? null)}`).join(", ")}}`;
  }
  return `[${value.slice(0, elementsShownMax).join(" ")}]`;
}
