// A custom resource with all kinds of fields, for the tests of field managers.

import { type Clock, FakeClock, type JsonRecord } from "@homeostat/core";
import { FieldManager } from "../apply/field-manager.ts";
import { managedFieldsOf, withManagedFields } from "../apply/object-managed-fields.ts";
import { readManagers } from "../apply/managed-fields.ts";
import { type MergeType, MergeTypes } from "../apply/merge-type.ts";
import { pathText } from "../apply/path-element.ts";
import { resetFieldsOf } from "../apply/reset-fields.ts";
import type { Versions } from "../apply/typed-object.ts";
import type { TypeSchema } from "../apply/type-schema.ts";

const schema: TypeSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        replicas: { type: "integer" },
        text: { type: "string" },
        map: { type: "object", additionalProperties: { type: "string" } },
        set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        ports: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "protocol"],
          items: {
            type: "object",
            properties: {
              port: { type: "integer" },
              protocol: { type: "string", default: "TCP" },
              name: { type: "string" },
            },
          },
        },
      },
    },
    status: { type: "object", properties: { ready: { type: "integer" } } },
  },
};

// Two versions that differ only in name.
const schemas: { readonly [version: string]: TypeSchema } = { v1: schema, v2: schema };

const merging = new MergeTypes();
const types = new Map<string, MergeType>(
  Object.entries(schemas).map(([version, each]) => [`example.com/${version}`, merging.ofObjects(each)]),
);
const versions: Versions = {
  typeOf: (apiVersion) => types.get(apiVersion),
  convert: (object, apiVersion) => (types.has(apiVersion) ? { object: { ...object, apiVersion } } : "unknown version"),
};

/** Time of all writes by default. */
export const clock: FakeClock = new FakeClock({ now: Date.parse("2026-01-01T00:00:00.750Z") });

/** Returns the field manager of the main endpoint. */
export function manager({
  clock: other = clock,
  version = "v1",
}: { clock?: Clock; version?: string } = {}): FieldManager {
  return new FieldManager({
    gvk: { group: "example.com", version, kind: "Thing" },
    versions,
    resetFields: resetFieldsOf([["status"]], [...types.keys()]),
    empty: { apiVersion: `example.com/${version}`, kind: "Thing" },
    clock: other,
  });
}

/** Returns the field manager of the status endpoint. */
export function statusManager(): FieldManager {
  return new FieldManager({
    gvk: { group: "example.com", version: "v1", kind: "Thing" },
    subresource: "status",
    versions,
    resetFields: resetFieldsOf([["metadata"], ["spec"]], [...types.keys()]),
    empty: { apiVersion: "example.com/v1", kind: "Thing" },
    clock,
  });
}

/** Returns an object that the manager `starter` created with an update. */
export function start(spec: JsonRecord, annotations?: JsonRecord): JsonRecord {
  const metadata = { name: "a", ...(annotations === undefined ? {} : { annotations }) };
  const object = { apiVersion: "example.com/v1", kind: "Thing", metadata, spec };
  const created = manager().update({ live: undefined, object, manager: "starter" });
  return withManagedFields({ ...created, metadata: { ...metadata, uid: "u" } }, managedFieldsOf(created));
}

/** Returns the owned paths by manager, in the order of the entries. */
export function owners(object: JsonRecord): Record<string, string[]> {
  const { managers } = readManagers(managedFieldsOf(object));
  return Object.fromEntries(
    [...(managers?.values() ?? [])].map(({ manager: name, operation, subresource, set }) => [
      `${name} ${operation} ${subresource}`.trim(),
      [...set.paths()].map((path) => pathText(path)),
    ]),
  );
}
