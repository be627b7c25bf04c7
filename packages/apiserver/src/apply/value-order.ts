import { isList, isRecord } from "@homeostat/core";
import { compareBytes } from "../codec/go-text.ts";

/** Orders JSON values: numbers, strings, booleans, lists, maps, null; values of one type by content. */
export function compareValues(a: unknown, b: unknown): number {
  const order = rankOf(a) - rankOf(b);
  if (order !== 0) return order;
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === "string" && typeof b === "string") return compareBytes(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (isList(a) && isList(b)) return compareLists(a, b);
  if (isRecord(a) && isRecord(b)) return compareRecords(a, b);
  return 0;
}

function rankOf(value: unknown): number {
  if (isNumber(value)) return 0;
  if (typeof value === "string") return 1;
  if (typeof value === "boolean") return 2;
  if (isList(value)) return 3;
  return isRecord(value) ? 4 : 5;
}

function compareLists(a: readonly unknown[], b: readonly unknown[]): number {
  for (let at = 0; at < a.length && at < b.length; at += 1) {
    const order = compareValues(a[at], b[at]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareRecords(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): number {
  const left = Object.keys(a).sort(compareBytes);
  const right = Object.keys(b).sort(compareBytes);
  for (let at = 0; at < left.length && at < right.length; at += 1) {
    const leftKey = left[at] ?? "";
    const rightKey = right[at] ?? "";
    const order = compareBytes(leftKey, rightKey);
    if (order !== 0) return order;
    const inner = compareValues(a[leftKey], b[rightKey]);
    if (inner !== 0) return inner;
  }
  return left.length - right.length;
}

/** Reports whether a value is a number. Integers that a double cannot represent are bigints. */
export function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}
