import { isRecord, type JsonRecord, type KubeObject, type ObjectMeta, ownValue } from "@homeostat/core";

/** An object on its way through the registry: what a kind made of what was sent. */
export type ApiObject = JsonRecord & KubeObject;

/** Whether a value is an object with the metadata that every kind has: they have been read by their kind before. */
export function isApiObject(value: JsonRecord): value is ApiObject {
  return (
    typeof ownValue(value, "apiVersion") === "string" &&
    typeof ownValue(value, "kind") === "string" &&
    isRecord(ownValue(value, "metadata"))
  );
}

/** The value as an object of the API; metadata that is missing is empty. */
export function apiObject(value: JsonRecord): ApiObject {
  if (isApiObject(value)) return value;
  const { apiVersion, kind, metadata, ...rest } = value;
  const made: JsonRecord = {
    kind: typeof kind === "string" ? kind : "",
    apiVersion: typeof apiVersion === "string" ? apiVersion : "",
    metadata: isRecord(metadata) ? metadata : {},
    ...rest,
  };
  return isApiObject(made) ? made : { kind: "", apiVersion: "", metadata: {} };
}

/** The object with other metadata, its keys where they were. */
export function withMeta(object: ApiObject, metadata: ObjectMeta): ApiObject {
  return { ...object, metadata };
}
