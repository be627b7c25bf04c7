import { deepClone, isRecord, type JsonRecord, safeSet } from "@homeostat/core";

/** Reports whether a field counts as unset: absent, null or an empty string. */
export function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** Fields that are pointers in Go, so that an empty string is not the same as unset. */
const optionalTexts = new Set([
  "completionMode",
  "failurePolicy",
  "fsGroupPolicy",
  "internalTrafficPolicy",
  "ipMode",
  "matchPolicy",
  "podReplacementPolicy",
  "preemptionPolicy",
  "reclaimPolicy",
  "reinvocationPolicy",
  "scope",
  "selectPolicy",
  "volumeBindingMode",
  "volumeMode",
]);

/** Sets unset fields, in place. */
export function fill(record: JsonRecord, values: Readonly<JsonRecord>): void {
  for (const [name, value] of Object.entries(values)) {
    const found = Object.hasOwn(record, name) ? record[name] : undefined;
    if (isUnset(found) && !(found === "" && optionalTexts.has(name)))
      safeSet(record, name, typeof value === "object" ? deepClone(value) : value);
  }
}

/** Returns the object in a field; creates it, in place, when there is none. */
export function partOf(record: JsonRecord, name: string): JsonRecord {
  const found = Object.hasOwn(record, name) ? record[name] : undefined;
  if (isRecord(found)) return found;
  const made: JsonRecord = {};
  safeSet(record, name, made);
  return made;
}
