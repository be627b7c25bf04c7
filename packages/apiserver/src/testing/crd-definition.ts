import type { JsonRecord } from "@homeostat/core";

/** A definition written by a test, with readable parts. */
export interface DefinitionObject extends JsonRecord {
  metadata: JsonRecord;
  spec: { names: JsonRecord; versions: JsonRecord[] } & JsonRecord;
  status: JsonRecord;
}

/** Returns a version; `over` replaces its fields. */
export function version(name: string, over: JsonRecord = {}): JsonRecord {
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } };
  return { name, served: true, storage: name === "v1", schema, ...over };
}

/** Returns a complete definition; `spec` and `metadata` replace fields. */
export function definition(spec: JsonRecord = {}, metadata: JsonRecord = {}): DefinitionObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com", ...metadata },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
      versions: [version("v1")],
      conversion: { strategy: "None" },
      ...spec,
    },
    status: {},
  };
}
