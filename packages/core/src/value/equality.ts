import { isList, isPlainRecord, type JsonRecord } from "./record.ts";

/** Beyond this depth values are put on a work list instead of the call stack, so that nesting cannot overflow it. */
const recursionMax = 200;

/**
 * Reports whether two JSON-like values are equal.
 *
 * The order of keys does not matter, the order of elements does. A property that is undefined equals an absent one, because both
 * give the same JSON. `0` equals `-0`, and `NaN` equals `NaN`. Instances of classes equal only themselves. Values may have any depth,
 * but must not contain cycles.
 *
 * @example
 * isEqual({ a: 1, b: undefined }, { a: 1 }); // true
 */
export function isEqual(a: unknown, b: unknown): boolean {
  const waiting: unknown[] = [];
  if (!compare(a, b, 0, waiting)) return false;
  while (waiting.length > 0) {
    const right = waiting.pop();
    const left = waiting.pop();
    if (!compare(left, right, 0, waiting)) return false;
  }
  return true;
}

function compare(a: unknown, b: unknown, depth: number, waiting: unknown[]): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return isNaNValue(a) && isNaNValue(b);
  if (depth === recursionMax) {
    waiting.push(a, b);
    return true;
  }
  if (isList(a)) return isList(b) && compareLists(a, b, depth, waiting);
  return !isList(b) && isPlainRecord(a) && isPlainRecord(b) && compareRecords(a, b, depth, waiting);
}

function isNaNValue(value: unknown): boolean {
  return typeof value === "number" && Number.isNaN(value);
}

function compareLists(a: readonly unknown[], b: readonly unknown[], depth: number, waiting: unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) {
    if (!compare(a[i], b[i], depth + 1, waiting)) return false;
  }
  return true;
}

/** Compares two objects. Two copies of an object usually have the same order of keys, and then no key lookups are needed. */
function compareRecords(a: JsonRecord, b: JsonRecord, depth: number, waiting: unknown[]): boolean {
  const aKeys = Object.keys(a);
  const bKeys = Object.keys(b);
  const length = Math.min(aKeys.length, bKeys.length);
  let i = 0;
  for (; i < length; i += 1) {
    const key = aKeys[i];
    if (key === undefined || key !== bKeys[i]) break;
    const left = a[key];
    const right = b[key];
    if (left !== right && !compare(left, right, depth + 1, waiting)) return false;
  }
  // Continue at the first difference of the order, not from the start: two passes per level would take 2^depth steps.
  return i === aKeys.length && i === bKeys.length
    ? true
    : compareUnordered(a, b, { aKeys, bKeys, from: i }, depth, waiting);
}

function compareUnordered(
  a: JsonRecord,
  b: JsonRecord,
  { aKeys, bKeys, from }: { aKeys: readonly string[]; bKeys: readonly string[]; from: number },
  depth: number,
  waiting: unknown[],
): boolean {
  let missing = 0;
  for (let i = from; i < bKeys.length; i += 1) {
    const key = bKeys[i];
    if (key !== undefined && b[key] !== undefined) missing += 1;
  }
  for (let i = from; i < aKeys.length; i += 1) {
    const key = aKeys[i];
    if (key === undefined) continue;
    const left = a[key];
    if (left === undefined) continue;
    if (!Object.hasOwn(b, key) || !compare(left, b[key], depth + 1, waiting)) return false;
    missing -= 1;
  }
  return missing === 0;
}
