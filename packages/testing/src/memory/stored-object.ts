import {
  formatTime,
  isEqual,
  isRecord,
  type JsonRecord,
  type KubeObject,
  type ManagedFieldsEntry,
  ownValue,
  SeededRandom,
  type Stored,
  uuid,
} from "@homeostat/core";

/** An object of any kind with its fields. */
export type AnyObject = KubeObject & JsonRecord;

/** Reports whether a value has the fields that every object has. */
export function isObject(value: unknown): value is AnyObject {
  return (
    isRecord(value) &&
    typeof ownValue(value, "apiVersion") === "string" &&
    typeof ownValue(value, "kind") === "string" &&
    isRecord(ownValue(value, "metadata"))
  );
}

/** Returns an object with the metadata that the API server sets on creation, where it is missing. The UID follows from kind and name. */
export function withServerMetadata<T extends KubeObject>(object: T, nowMs: number): T & Stored<KubeObject>;
export function withServerMetadata(object: KubeObject, nowMs: number): KubeObject {
  const { name = "", namespace = "" } = object.metadata;
  return {
    ...object,
    metadata: {
      uid: uuid(new SeededRandom(`${object.apiVersion} ${object.kind} ${namespace}/${name}`)),
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: formatTime(Math.floor(nowMs / 1000) * 1000),
      ...object.metadata,
      name,
    },
  };
}

/** Returns the generation of an object after a change: one more if anything but metadata and status has changed. */
export function nextGeneration(before: AnyObject, after: AnyObject): number {
  const { generation = 1 } = before.metadata;
  return isEqual(content(before), content(after)) ? generation : generation + 1;
}

function content({ metadata: _metadata, status: _status, ...fields }: AnyObject): JsonRecord {
  return fields;
}

/** Returns an object with another status, or without one. */
export function withStatus(object: AnyObject, status: unknown): AnyObject {
  const { status: _status, ...fields } = object;
  const { apiVersion, kind, metadata } = object;
  return status === undefined ? { ...fields, apiVersion, kind, metadata } : { ...object, status };
}

/** Returns the entry of a field manager in `managedFields`; undefined if it has none. */
export function managerEntry(
  { metadata: { managedFields = [] } }: KubeObject,
  { manager, operation, subresource }: Pick<ManagedFieldsEntry, "manager" | "operation" | "subresource">,
): ManagedFieldsEntry | undefined {
  return managedFields.find(
    (entry) => entry.manager === manager && entry.operation === operation && entry.subresource === subresource,
  );
}
