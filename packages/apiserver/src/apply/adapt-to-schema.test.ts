import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FieldSet } from "./field-set.ts";
import { adaptToSchema } from "./adapt-to-schema.ts";
import { MergeTypes } from "./merge-type.ts";
import { fieldElement, keyElement, type Path, pathText } from "./path-element.ts";
import type { TypeSchema } from "./type-schema.ts";

const map: Path = [fieldElement("map")];
const list: Path = [fieldElement("list")];
const owned = FieldSet.of([
  map,
  [...map, fieldElement("a")],
  [...list, keyElement([{ name: "k", value: 1 }])],
  [...list, keyElement([{ name: "k", value: 1 }]), fieldElement("k")],
  [fieldElement("gone"), fieldElement("a")],
]);

function ownedAfter(schema: TypeSchema, set: FieldSet = owned): string[] {
  const type = new MergeTypes().of(schema, false);
  return [...adaptToSchema(set, type).paths()].map((path) => pathText(path));
}

const item: TypeSchema = { type: "object", properties: { k: { type: "integer" } } };
const granular: TypeSchema = {
  type: "object",
  properties: {
    map: { type: "object", additionalProperties: { type: "string" } },
    list: { type: "array", items: item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] },
  },
};
const atomic: TypeSchema = {
  type: "object",
  properties: {
    map: { type: "object", additionalProperties: { type: "string" }, "x-kubernetes-map-type": "atomic" },
    list: { type: "array", items: item },
  },
};

describe("owned fields after a schema change", () => {
  it("stay the same if the schema did, or if they are no longer in it", () => {
    assert.deepEqual(ownedAfter(granular), [".map", ".gone.a", ".list[k=1]", ".list[k=1].k", ".map.a"]);
  });

  it("become the whole value if it is atomic now", () => {
    assert.deepEqual(ownedAfter(atomic), [".list", ".map", ".gone.a"]);
  });

  it("stay the whole value if it is granular now", () => {
    assert.deepEqual(ownedAfter(granular, FieldSet.of([map, list])), [".list", ".map"]);
  });
});
