import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileSchema, type Schema } from "@homeostat/schema";
import { checkValue } from "../apply/check-value.ts";
import { MergeTypes } from "../apply/merge-type.ts";
import { mayHideFields } from "./hidden-fields.ts";

const open = { "x-kubernetes-preserve-unknown-fields": true } as const;
const struct: Schema = { type: "object", properties: { a: { type: "string" } } };
const withUnknown = { a: "x", unknown: 1 };

/** Schemas of a field, with values that have as many unknown fields as merging accepts. */
const shapes: readonly (readonly [name: string, field: Schema, value: unknown])[] = [
  ["a scalar", { type: "string" }, "x"],
  ["a number or string", { "x-kubernetes-int-or-string": true }, 1],
  ["a struct", struct, { a: "x" }],
  ["a map", { type: "object", additionalProperties: struct }, { x: { a: "x" } }],
  ["a list", { type: "array", items: struct }, [{ a: "x" }]],
  ["an open struct", { ...struct, ...open }, withUnknown],
  ["an open object without properties", { type: "object", ...open }, { unknown: { unknown: 1 } }],
  ["an open value without a type", { ...open }, [{ unknown: 1 }]],
  ["an open list", { type: "array", ...open, items: struct }, [withUnknown]],
  ["a list of open structs", { type: "array", items: { ...struct, ...open } }, [withUnknown]],
  ["an object without properties", { type: "object" }, { unknown: 1 }],
  ["a list of objects without properties", { type: "array", items: { type: "object" } }, [{ unknown: 1 }]],
  [
    "a map of objects without properties",
    { type: "object", additionalProperties: { type: "object" } },
    { x: { y: 1 } },
  ],
  ["a map with any values", { type: "object", additionalProperties: true }, { x: { y: 1 } }],
  ["a struct in an open one", { type: "object", ...open, properties: { in: struct } }, { in: withUnknown }],
  [
    "a list in an open struct",
    { type: "object", ...open, properties: { in: { type: "array", items: struct } } },
    { in: [withUnknown] },
  ],
  ["an open map of structs", { type: "object", ...open, additionalProperties: struct }, { x: withUnknown }],
  [
    "a struct in an open list",
    { type: "array", ...open, items: { type: "object", properties: { in: struct } } },
    [{ in: withUnknown }],
  ],
  ["a struct in a value without a type", { ...open, properties: { in: struct } }, { in: withUnknown }],
];

describe("mayHideFields", () => {
  for (const [name, field, value] of shapes) {
    it(`reports whether pruning drops fields that an apply can add to ${name}`, () => {
      const schema: Schema = { type: "object", properties: { spec: { type: "object", properties: { field } } } };
      const object = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "x" }, spec: { field: value } };

      const { dropped } = compileSchema(schema).prune(object);

      assert.deepEqual(checkValue(new MergeTypes().ofObjects(schema), object), []);
      assert.equal(mayHideFields(schema), dropped.length > 0);
    });
  }

  it("treats the root as an object with properties, because of its metadata", () => {
    assert.equal(mayHideFields({ type: "object" }), false);
    assert.equal(mayHideFields({ type: "object", ...open }), false);
    assert.equal(mayHideFields({ type: "object", ...open, properties: { spec: struct } }), true);
  });

  it("returns true without a schema and for embedded metadata", () => {
    const embedded = { type: "object", ...open, "x-kubernetes-embedded-resource": true };

    assert.equal(mayHideFields(undefined), true);
    assert.equal(mayHideFields({ type: "object", properties: { spec: embedded } }), true);
  });
});
