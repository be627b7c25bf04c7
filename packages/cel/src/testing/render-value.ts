import { formatDecimal } from "../values/double-text.ts";
import { CelDuration } from "../values/duration.ts";
import { formatValue } from "../values/format.ts";
import { CelTimestamp } from "../values/timestamp.ts";
import { CelList, CelMap, CelOptional, CelUint, type CelResult } from "../values/value.ts";

/** Formats a value as in the vectors, which is almost CEL. Map entries are sorted by key. */
export function renderValue(value: CelResult): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return renderDouble(value);
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof CelList) {
    return `[${Array.from({ length: value.size }, (_, index) => renderValue(value.at(index))).join(", ")}]`;
  }
  if (value instanceof CelMap) {
    const entries = value.keys().map((key) => [renderValue(key), renderValue(value.find(key) ?? null)] as const);
    return `{${entries
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map((entry) => entry.join(": "))
      .join(", ")}}`;
  }
  if (value instanceof CelOptional) {
    return value.value === undefined ? "optional.none()" : `optional.of(${renderValue(value.value)})`;
  }
  if (value instanceof CelTimestamp) return `timestamp("${formatValue(new CelTimestamp(value.nanos))}")`;
  if (value instanceof CelDuration) return `duration("${formatValue(value)}")`;
  if (!(value instanceof Uint8Array)) return formatValue(value);
  return `b"${Array.from(value, (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")}"`;
}

function renderDouble(value: number): string {
  if (Number.isNaN(value)) return 'double("NaN")';
  if (!Number.isFinite(value)) return `double("${value < 0 ? "-" : ""}Infinity")`;
  const text = formatDecimal(value);
  return text.includes(".") ? text : `${text}.0`;
}
