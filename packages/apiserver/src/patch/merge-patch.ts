import { isList, isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";
import { sortedKeys } from "./sorted-keys.ts";

/**
 * Applies a JSON Merge Patch (RFC 7386) as a Kubernetes API server does. Neither argument is changed.
 *
 * It differs from the RFC in one case: where a list is set for a key that has no object, objects inside the list lose
 * their `null`s too. A list that replaces an object keeps them. Objects that the patch touches have sorted keys, as Go
 * prints them.
 */
export function applyServerMergePatch(document: Readonly<JsonRecord>, patch: Readonly<JsonRecord>): JsonRecord {
  const result: JsonRecord = { ...document };
  for (const key of Object.keys(patch)) {
    const change = patch[key];
    const existing = ownValue(result, key);
    if (change === null || change === undefined) delete result[key];
    else if (existing === undefined || existing === null || !isRecord(existing))
      safeSet(result, key, withoutNulls(change));
    else safeSet(result, key, isRecord(change) ? applyServerMergePatch(existing, change) : change);
  }
  return sortedKeys(result);
}

/** Returns a value without keys that are `null`, at any depth. Elements of lists are kept. */
function withoutNulls(value: unknown): unknown {
  if (isList(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const record: JsonRecord = {};
  for (const key of Object.keys(value)) {
    if (value[key] !== null) safeSet(record, key, withoutNulls(value[key]));
  }
  return sortedKeys(record);
}
