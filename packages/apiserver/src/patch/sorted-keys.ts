import type { JsonRecord } from "@homeostat/core";
import { safeSet } from "@homeostat/core";
import { compareBytes } from "../codec/go-text.ts";

/** The same object with its keys in order: what a patch has opened is a map to Go, and prints so. */
export function sortedKeys(record: Readonly<JsonRecord>): JsonRecord {
  const sorted: JsonRecord = {};
  for (const key of Object.keys(record).sort(compareBytes)) safeSet(sorted, key, record[key]);
  return sorted;
}

/** Puts the keys of an object in order where it is. */
export function sortKeys(record: JsonRecord): void {
  const sorted = sortedKeys(record);
  for (const key of Object.keys(record)) delete record[key];
  for (const key of Object.keys(sorted)) safeSet(record, key, sorted[key]);
}
