import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isList, isRecord } from "@homeostat/core";
import type { Schema } from "../structural/schema.ts";
import { type DeclaredField, dropFields } from "./drop-fields.ts";

const schema: Schema = {
  type: "object",
  properties: {
    names: { type: "array", items: { type: "string" } },
    labels: { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
    parts: {
      type: "array",
      items: { type: "object", properties: { names: { type: "array", items: { type: "string" } } } },
    },
    outer: { type: "object", properties: { inner: { type: "object", properties: {} } } },
  },
};

const isEmpty = ({ value }: DeclaredField): boolean =>
  (isList(value) && value.length === 0) || (isRecord(value) && Object.keys(value).length === 0);

describe("dropFields", () => {
  const table: readonly (readonly [string, unknown, unknown])[] = [
    ["a value that is kept", { names: ["a"] }, { names: ["a"] }],
    ["a value that is dropped", { names: [], labels: {} }, {}],
    ["an object that is empty after its fields are dropped", { outer: { inner: {} } }, {}],
    ["items of a list, which stay", { parts: [{ names: [] }, { names: ["a"] }] }, { parts: [{}, { names: ["a"] }] }],
    ["keys of a map, which stay", { labels: { a: [] } }, { labels: { a: [] } }],
    ["fields that the schema does not declare", { other: [], constructor: [] }, { other: [], constructor: [] }],
    ["a value that is not an object", 7, 7],
  ];
  for (const [name, value, expected] of table) {
    it(`handles ${name}`, () => {
      assert.deepEqual(dropFields(value, schema, isEmpty), expected);
    });
  }

  it("passes the name and the schema of a field, and does not modify its argument", () => {
    const value = { names: ["a"], other: 1 };
    const seen: DeclaredField[] = [];

    dropFields(value, schema, (field) => seen.push(field) > 0);

    assert.deepEqual(seen, [{ name: "names", value: ["a"], schema: schema.properties?.["names"] }]);
    assert.deepEqual(value, { names: ["a"], other: 1 });
  });

  it("keeps __proto__ as an ordinary key", () => {
    const value: unknown = JSON.parse('{ "__proto__": { "polluted": true } }');

    assert.deepEqual(Object.keys(dropFields(value, schema, isEmpty) as object), ["__proto__"]);
  });
});
