import { isList, isRecord } from "@homeostat/core";

/** Returns the number of values in a JSON value, including itself. Stops counting soon after `enough`. */
export function countValues(value: unknown, enough: number): number {
  let count = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && count <= enough) {
    const next = waiting.pop();
    count += 1;
    const children = isList(next) ? next : isRecord(next) ? Object.values(next) : [];
    for (const child of children) waiting.push(child);
  }
  return count;
}
