import { isList, isRecord, type JsonRecord, ownValue } from "@homeostat/core";

/** The records in a list under a key; what is no record is left out, and no list is an empty one. */
export function recordsIn(record: JsonRecord, key: string): readonly JsonRecord[] {
  const value = ownValue(record, key);
  return isList(value) ? value.filter(isRecord) : [];
}

/** The texts in a list under a key. */
export function textsIn(record: JsonRecord, key: string): readonly string[] {
  const value = ownValue(record, key);
  return isList(value) ? value.filter((item) => typeof item === "string") : [];
}

/** The text under a key; empty when there is none. */
export function textIn(record: JsonRecord, key: string): string {
  const value = ownValue(record, key);
  return typeof value === "string" ? value : "";
}

/** The record under a key; empty when there is none. */
export function recordIn(record: JsonRecord, key: string): JsonRecord {
  const value = ownValue(record, key);
  return isRecord(value) ? value : {};
}
