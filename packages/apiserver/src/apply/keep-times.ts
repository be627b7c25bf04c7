import { isEqual, isList, isRecord, type JsonRecord, ownValue } from "@homeostat/core";

/**
 * The new object, with the times of its managers set back to the old ones when nothing else changed.
 *
 * Without this a write that changes nothing would be stored for the sake of its time alone.
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

/** The `managedFields` of an object; empty when it has none. */
export function managedFieldsOf(object: JsonRecord): readonly unknown[] {
  const metadata = ownValue(object, "metadata");
  const managedFields = isRecord(metadata) ? ownValue(metadata, "managedFields") : undefined;
  return isList(managedFields) ? managedFields : [];
}

/** The object without `managedFields`. */
export function withoutManagedFields(object: JsonRecord): JsonRecord {
  const metadata = ownValue(object, "metadata");
  if (!isRecord(metadata) || !Object.hasOwn(metadata, "managedFields")) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

/** The object with other `managedFields`; without any when there are none. */
export function withManagedFields(object: JsonRecord, managedFields: readonly unknown[]): JsonRecord {
  const bare = withoutManagedFields(object);
  if (managedFields.length === 0) return bare;
  const metadata = ownValue(bare, "metadata");
  return { ...bare, metadata: { ...(isRecord(metadata) ? metadata : {}), managedFields } };
}

function timeOf(entry: unknown): unknown {
  return isRecord(entry) ? ownValue(entry, "time") : undefined;
}

function withoutTime(entry: unknown): unknown {
  if (!isRecord(entry)) return entry;
  const { time: _, ...rest } = entry;
  return rest;
}
