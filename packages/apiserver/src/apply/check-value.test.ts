import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkValue, problemsText } from "./check-value.ts";
import { MergeTypes } from "./merge-type.ts";
import type { TypeSchema } from "./type-schema.ts";

const schema: TypeSchema = {
  type: "object",
  properties: {
    text: { type: "string" },
    number: { type: "integer" },
    flag: { type: "boolean" },
    any: { "x-kubernetes-int-or-string": true },
    time: { type: "string", format: "date-time" },
    map: { type: "object", additionalProperties: { type: "string" } },
    open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    set: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    list: { type: "array", items: { type: "string" } },
    items: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name", "port"],
      items: { type: "object", properties: { name: { type: "string" }, port: { type: "integer" } } },
    },
    defaulted: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port", "protocol"],
      items: {
        type: "object",
        properties: { port: { type: "integer" }, protocol: { type: "string", default: "TCP" } },
      },
    },
  },
};
const type = new MergeTypes().of(schema, false);

function problem(value: unknown): string {
  return problemsText(checkValue(type, value));
}

describe("a value that does not match its type", () => {
  for (const [value, text] of [
    [{ text: 5 }, ".text: expected string, got &value.valueUnstructured{Value:5}"],
    [
      { text: { a: "b" } },
      '.text: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":"b"}}',
    ],
    [{ number: "5" }, ".number: expected numeric (int or float), got string"],
    [{ number: [] }, ".number: expected numeric (int or float), got []interface {}"],
    [{ flag: "yes" }, ".flag: expected boolean, got &{yes}"],
    [{ time: [1] }, ".time: expected any scalar, got &{[1]}"],
    [{ map: [] }, ".map: expected map, got &{[]}"],
    [{ list: { a: 1 } }, ".list: expected list, got &{map[a:1]}"],
    [{ list: ["a", 1] }, ".list[1]: expected string, got &value.valueUnstructured{Value:1}"],
    [{ map: { a: true } }, ".map.a: expected string, got &value.valueUnstructured{Value:true}"],
    [{ nothing: 1 }, ".nothing: field not declared in schema"],
    [{ set: ["a", "a"] }, '.set: duplicate entries for key [="a"]'],
    [{ set: [{}] }, ".set: element 0: associative list without keys has an element that's a map type"],
    [{ set: [["a"]] }, ".set: element 0: not supported: associative list with lists as elements"],
    [{ set: [null] }, ".set: element 0: associative list without keys has an element that's an explicit null"],
    [{ items: [null] }, ".items: element 0: associative list with keys may not have a null element"],
    [{ items: ["a"] }, ".items: element 0: associative list with keys may not have non-map elements"],
    [
      { items: [{}] },
      '.items: element 0: associative list with keys has an element that omits all key fields ["name" "port"] (and doesn\'t have default values for any key fields)',
    ],
    [
      {
        items: [
          { name: "a", port: 1_000_000 },
          { name: "a", port: 1_000_000 },
        ],
      },
      '.items: duplicate entries for key [name="a",port=1000000]',
    ],
    [
      { defaulted: [{ port: 1 }, { port: 1, protocol: "TCP" }] },
      '.defaulted: duplicate entries for key [port=1,protocol="TCP"]',
    ],
  ] satisfies [unknown, string][]) {
    it(`is refused: ${text}`, () => {
      assert.equal(problem(value), text);
    });
  }

  it("is refused with all its problems", () => {
    assert.equal(
      problem({ flag: 1, number: "a" }),
      "errors:\n  .flag: expected boolean, got &{1}\n  .number: expected numeric (int or float), got string",
    );
  });

  it("is refused if it is nested too deep to be walked recursively", () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`);

    assert.equal(problem({ open: deep }), "nested more than 1000 deep");
    assert.equal(problem({ items: [{ name: deep }] }), "nested more than 1000 deep");
  });
});

describe("a value that matches its type", () => {
  it("may be null everywhere, and anything where there is no schema", () => {
    const names = Object.keys(schema.properties ?? {});

    assert.deepEqual(checkValue(type, Object.fromEntries(names.map((name) => [name, null]))), []);
    assert.deepEqual(checkValue(type, { open: { a: [{ b: null }], __proto__: null }, any: [1, "x"] }), []);
  });

  it("may contain duplicates if they are allowed", () => {
    assert.deepEqual(checkValue(type, { set: ["a", "a"] }, { allowDuplicates: true }), []);
  });

  it("treats an item without a key field and one with it as different", () => {
    assert.deepEqual(checkValue(type, { items: [{ name: "a" }, { name: "a", port: 1 }] }), []);
  });
});
