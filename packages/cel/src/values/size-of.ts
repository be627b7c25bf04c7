import { codePointLength } from "@homeostat/core";
import { CelList, CelMap, CelOpaque, CelOptional, type CelValue } from "./value.ts";

/**
 * Returns the size of a value for cost tracking: the number of code points, bytes, elements or entries; 1 for other values. An
 * optional has the size of its content.
 */
export function sizeOf(value: CelValue): number {
  if (typeof value === "string") return codePointLength(value);
  if (typeof value !== "object" || value === null) return 1;
  if (value instanceof CelList || value instanceof CelMap || value instanceof CelOpaque) return value.size;
  if (value instanceof Uint8Array) return value.length;
  return value instanceof CelOptional && value.value !== undefined ? sizeOf(value.value) : 1;
}
