import { isList, isRecord } from "@homeostat/core";

/** Orders texts by their bytes in UTF-8, as Kubernetes does; plain `<` would put U+FFFF after U+10000. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Halves of surrogate pairs stand for the highest code points, so they come last. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Orders JSON values: numbers, texts, booleans, lists, maps, null; within one sort by content. */
export function compareValues(a: unknown, b: unknown): number {
  const order = sortOf(a) - sortOf(b);
  if (order !== 0) return order;
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (isList(a) && isList(b)) return compareLists(a, b);
  if (isRecord(a) && isRecord(b)) return compareRecords(a, b);
  return 0;
}

function sortOf(value: unknown): number {
  if (typeof value === "number") return 0;
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
  const left = Object.keys(a).sort(compareText);
  const right = Object.keys(b).sort(compareText);
  for (let at = 0; at < left.length && at < right.length; at += 1) {
    const leftKey = left[at] ?? "";
    const rightKey = right[at] ?? "";
    const order = compareText(leftKey, rightKey);
    if (order !== 0) return order;
    const inner = compareValues(a[leftKey], b[rightKey]);
    if (inner !== 0) return inner;
  }
  return left.length - right.length;
}
