// Limits and copies of JSON values from users.

import { isList, isRecord, type JsonRecord, safeSet } from "@homeostat/core";

/** Reports whether a value has more than `depthMax` levels of lists and objects. Does not recurse. */
export function isDeeperThan(value: unknown, depthMax: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: unknown[] = [];
    for (const each of level) {
      if (isList(each)) for (const child of each) next.push(child);
      else if (isRecord(each)) for (const child of Object.values(each)) next.push(child);
      else continue;
      if (depth >= depthMax) return true;
    }
    level = next;
  }
  return false;
}

/**
 * Returns a value without properties that are null, at any depth, because the API server treats them as absent. Null elements of
 * lists are kept.
 */
export function withoutNulls(value: unknown): unknown {
  if (isList(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const record: JsonRecord = {};
  for (const key of Object.keys(value)) {
    const child = value[key];
    if (child !== null && child !== undefined) safeSet(record, key, withoutNulls(child));
  }
  return record;
}
