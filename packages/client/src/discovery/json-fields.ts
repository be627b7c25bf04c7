import { isList, isRecord, type JsonRecord, ownValue } from "@homeostat/core";

/** Returns the records of the list under a key. Other items are omitted; anything but a list counts as empty. */
export function recordsIn(record: JsonRecord, key: string): readonly JsonRecord[] {
  const value = ownValue(record, key);
  return isList(value) ? value.filter(isRecord) : [];
}

/** Returns the strings of the list under a key. Other items are omitted. */
export function textsIn(record: JsonRecord, key: string): readonly string[] {
  const value = ownValue(record, key);
  return isList(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Returns the string under a key, or an empty one. */
export function textIn(record: JsonRecord, key: string): string {
  const value = ownValue(record, key);
  return typeof value === "string" ? value : "";
}

/** Returns the record under a key, or an empty one. */
export function recordIn(record: JsonRecord, key: string): JsonRecord {
  const value = ownValue(record, key);
  return isRecord(value) ? value : {};
}
