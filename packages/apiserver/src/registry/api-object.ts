import { isRecord, type JsonRecord, type KubeObject, type ObjectMeta, ownValue } from "@homeostat/core";

/** An object inside the registry, after its kind has decoded and completed it. */
export type ApiObject = JsonRecord & KubeObject;

/** Reports whether a value has `apiVersion`, `kind` and `metadata`. The content of the metadata was checked when it was decoded. */
export function isApiObject(value: JsonRecord): value is ApiObject {
  return (
    typeof ownValue(value, "apiVersion") === "string" &&
    typeof ownValue(value, "kind") === "string" &&
    isRecord(ownValue(value, "metadata"))
  );
}

/** Returns the value as an API object; missing type fields and metadata become empty. */
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

/** Returns the object with other metadata; the order of its keys stays. */
export function withMeta(object: ApiObject, metadata: ObjectMeta): ApiObject {
  return { ...object, metadata };
}
