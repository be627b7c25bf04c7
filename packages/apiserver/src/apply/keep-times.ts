import { isEqual, isRecord, type JsonRecord, ownValue } from "@homeostat/core";
import { managedFieldsOf, withManagedFields, withoutManagedFields } from "./object-managed-fields.ts";

/**
 * Returns the new object with the `managedFields` times of the old one if nothing but these times changed.
 *
 * Without this, a write that changes nothing would be stored, and sent to all watchers, only because of its timestamp.
 */
export function keepManagerTimes(older: JsonRecord, newer: JsonRecord): JsonRecord {
  const before = managedFieldsOf(older);
  const after = managedFieldsOf(newer);
  if (before.length !== after.length || after.length === 0) return newer;
  if (before.every((entry, at) => isEqual(timeOf(entry), timeOf(after[at])))) return newer;
  if (!before.every((entry, at) => isEqual(withoutTime(entry), withoutTime(after[at])))) return newer;
  if (!isEqual(withoutManagedFields(older), withoutManagedFields(newer))) return newer;
  return withManagedFields(newer, before);
}

function timeOf(entry: unknown): unknown {
  return isRecord(entry) ? ownValue(entry, "time") : undefined;
}

function withoutTime(entry: unknown): unknown {
  if (!isRecord(entry)) return entry;
  const { time: _, ...rest } = entry;
  return rest;
}
