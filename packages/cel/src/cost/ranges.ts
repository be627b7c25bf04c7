import type { Range } from "./model.ts";

/** Where sizes and costs stop growing: 2^64, which the API server's counters do not pass either. */
export const unbounded: number = 2 ** 64;

/** A size or cost about which nothing is known. */
export const unknownRange: Range = { min: 0, max: unbounded };

/** A size or cost that is known exactly. */
export function exactly(value: number): Range {
  return { min: value, max: value };
}

/** The sum of two ranges. */
export function add(left: Range, right: Range): Range {
  return { min: Math.min(left.min + right.min, unbounded), max: Math.min(left.max + right.max, unbounded) };
}

/** The product of two ranges. */
export function multiply(left: Range, right: Range): Range {
  return { min: Math.min(left.min * right.min, unbounded), max: Math.min(left.max * right.max, unbounded) };
}

/** A range times a factor, rounded up. */
export function scale(range: Range, factor: number): Range {
  return {
    min: Math.min(Math.ceil(range.min * factor), unbounded),
    max: Math.min(Math.ceil(range.max * factor), unbounded),
  };
}

/** The smallest range that holds both. */
export function union(left: Range, right: Range): Range {
  return { min: Math.min(left.min, right.min), max: Math.max(left.max, right.max) };
}
