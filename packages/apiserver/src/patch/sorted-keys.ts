import type { JsonRecord } from "@homeostat/core";
import { safeSet } from "@homeostat/core";
import { compareBytes } from "../codec/go-text.ts";

/**
 * Returns an object with sorted keys. An object that a patch has touched is a map in Go, which is printed in this
 * order.
 */
export function sortedKeys(record: Readonly<JsonRecord>): JsonRecord {
  const sorted: JsonRecord = {};
  for (const key of Object.keys(record).sort(compareBytes)) safeSet(sorted, key, record[key]);
  return sorted;
}

/** Sorts the keys of an object in place. */
export function sortKeys(record: JsonRecord): void {
  const sorted = sortedKeys(record);
  for (const key of Object.keys(record)) delete record[key];
  for (const key of Object.keys(sorted)) safeSet(record, key, sorted[key]);
}
