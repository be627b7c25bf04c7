import { codePointLength } from "@homeostat/core";
import { CelList, CelMap, CelOpaque, CelOptional, type CelValue } from "./value.ts";

/**
 * How large a value is when cost is counted: the code points of a text, the bytes, elements or entries; 1 for the
 * rest. An optional is as large as what it holds.
 */
export function sizeOf(value: CelValue): number {
  if (typeof value === "string") return codePointLength(value);
  if (typeof value !== "object" || value === null) return 1;
  if (value instanceof CelList || value instanceof CelMap || value instanceof CelOpaque) return value.size;
  if (value instanceof Uint8Array) return value.length;
  return value instanceof CelOptional && value.value !== undefined ? sizeOf(value.value) : 1;
}
