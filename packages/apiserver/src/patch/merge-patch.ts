import { isList, isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";
import { sortedKeys } from "./sorted-keys.ts";

/**
 * Applies a JSON Merge Patch (RFC 7386) as a Kubernetes API server does; neither argument is changed.
 *
 * It differs from the standard in one thing: where a list is put in place of nothing, objects in it lose their
 * `null`s, too. A list that takes the place of an object keeps them. What was opened has its keys in order.
 */
export function applyServerMergePatch(document: Readonly<JsonRecord>, patch: Readonly<JsonRecord>): JsonRecord {
  const result: JsonRecord = { ...document };
  for (const key of Object.keys(patch)) {
    const change = patch[key];
    const known = ownValue(result, key);
    if (change === null || change === undefined) delete result[key];
    else if (known === undefined || known === null || !isRecord(known)) safeSet(result, key, withoutNulls(change));
    else safeSet(result, key, isRecord(change) ? applyServerMergePatch(known, change) : change);
  }
  return sortedKeys(result);
}

/** The value without keys that are `null`, at any depth; elements of lists stay. */
function withoutNulls(value: unknown): unknown {
  if (isList(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const record: JsonRecord = {};
  for (const key of Object.keys(value)) {
    if (value[key] !== null) safeSet(record, key, withoutNulls(value[key]));
  }
  return sortedKeys(record);
}
