import { deepClone, isRecord, type JsonRecord, safeSet } from "@homeostat/core";

/** Whether a field counts as left away: absent, null, or an empty text. */
export function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** Fields whose empty text is a value, because Go can tell it from none. */
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

/** Gives the fields that are left away their values, in place. */
export function fill(record: JsonRecord, values: Readonly<JsonRecord>): void {
  for (const [name, value] of Object.entries(values)) {
    const found = Object.hasOwn(record, name) ? record[name] : undefined;
    if (isUnset(found) && !(found === "" && optionalTexts.has(name)))
      safeSet(record, name, typeof value === "object" ? deepClone(value) : value);
  }
}

/** The object in a field, made where there is none. */
export function partOf(record: JsonRecord, name: string): JsonRecord {
  const found = Object.hasOwn(record, name) ? record[name] : undefined;
  if (isRecord(found)) return found;
  const made: JsonRecord = {};
  safeSet(record, name, made);
  return made;
}
