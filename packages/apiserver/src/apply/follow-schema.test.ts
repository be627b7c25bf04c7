import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FieldSet } from "./field-set.ts";
import { followSchema } from "./follow-schema.ts";
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

function followed(schema: TypeSchema, set: FieldSet = owned): string[] {
  const type = new MergeTypes().of(schema, false);
  return [...followSchema(set, type).paths()].map((path) => pathText(path));
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

describe("what is owned after a change of schema", () => {
  it("stays where the schema did, and where it has no place any more", () => {
    assert.deepEqual(followed(granular), [".map", ".gone.a", ".list[k=1]", ".list[k=1].k", ".map.a"]);
  });

  it("is the whole of what became one value", () => {
    assert.deepEqual(followed(atomic), [".list", ".map", ".gone.a"]);
  });

  it("stays the whole of what came apart", () => {
    assert.deepEqual(followed(granular, FieldSet.of([map, list])), [".list", ".map"]);
  });
});
