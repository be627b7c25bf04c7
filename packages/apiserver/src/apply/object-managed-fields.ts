import { isList, isRecord, type JsonRecord, ownValue } from "@homeostat/core";

/** Returns the `managedFields` of an object; empty if it has none. */
export function managedFieldsOf(object: JsonRecord): readonly unknown[] {
  const metadata = ownValue(object, "metadata");
  const managedFields = isRecord(metadata) ? ownValue(metadata, "managedFields") : undefined;
  return isList(managedFields) ? managedFields : [];
}

/** Returns the object without `managedFields`. */
export function withoutManagedFields(object: JsonRecord): JsonRecord {
  const metadata = ownValue(object, "metadata");
  if (!isRecord(metadata) || !Object.hasOwn(metadata, "managedFields")) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

/** Replaces the `managedFields` of an object. An empty list removes the field. */
export function withManagedFields(object: JsonRecord, managedFields: readonly unknown[]): JsonRecord {
  const bare = withoutManagedFields(object);
  if (managedFields.length === 0) return bare;
  const metadata = ownValue(bare, "metadata");
  return { ...bare, metadata: { ...(isRecord(metadata) ? metadata : {}), managedFields } };
}
