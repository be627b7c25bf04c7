import type { Range } from "../types/cost-node.ts";

/** Cap of sizes and costs: 2^64, as the API server counts in saturating uint64. */
export const unbounded: number = 2 ** 64;

/** An unknown size or cost. */
export const unknownRange: Range = { min: 0, max: unbounded };

/** Returns the range of an exact size or cost. */
export function exactly(value: number): Range {
  return { min: value, max: value };
}

/** Returns the sum of two ranges. */
export function add(left: Range, right: Range): Range {
  return { min: Math.min(left.min + right.min, unbounded), max: Math.min(left.max + right.max, unbounded) };
}

/** Returns the product of two ranges. */
export function multiply(left: Range, right: Range): Range {
  return { min: Math.min(left.min * right.min, unbounded), max: Math.min(left.max * right.max, unbounded) };
}

/** Multiplies a range by a factor, rounded up. */
export function scale(range: Range, factor: number): Range {
  return {
    min: Math.min(Math.ceil(range.min * factor), unbounded),
    max: Math.min(Math.ceil(range.max * factor), unbounded),
  };
}

/** Returns the smallest range that includes both. */
export function union(left: Range, right: Range): Range {
  return { min: Math.min(left.min, right.min), max: Math.max(left.max, right.max) };
}
