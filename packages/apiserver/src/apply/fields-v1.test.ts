import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ParseError } from "@homeostat/core";
import { type SeededRandom, fuzz } from "@homeostat/fuzz";
import fc from "fast-check";
import { FieldSet } from "./field-set.ts";
import { fieldSets } from "../testing/random-field-sets.ts";
import { readFields, writeFields } from "./fields-v1.ts";
import { fieldElement, keyElement, pathText, valueElement } from "./path-element.ts";

const spec = fieldElement("spec");

describe("FieldsV1", () => {
  it("is serialized as the API server does", () => {
    const ports = fieldElement("ports");
    const http = keyElement([
      { name: "protocol", value: "TCP" },
      { name: "port", value: 80 },
    ]);
    const set = FieldSet.of([
      [spec, ports],
      [spec, ports, http],
      [spec, ports, http, fieldElement("port")],
      [spec, fieldElement("replicas")],
      [fieldElement("metadata"), fieldElement("finalizers"), valueElement("a<b")],
    ]);

    assert.equal(
      JSON.stringify(writeFields(set)),
      String.raw`{"f:metadata":{"f:finalizers":{"v:\"a\\u003cb\"":{}}},"f:spec":{"f:ports":{".":{},"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}},"f:replicas":{}}}`,
    );
  });

  it("orders numbers by value, not by text", () => {
    const set = FieldSet.of([10, 9, 100].map((value) => [valueElement(value)]));

    assert.deepEqual(Object.keys(writeFields(set)), ["v:9", "v:10", "v:100"]);
  });

  it("reads empty and null values as members", () => {
    const set = readFields({ "f:a": {}, "f:b": null, "f:c": { ".": {}, "f:d": {} }, "f:e": { "f:f": {} } });

    assert.deepEqual(
      [...set.paths()].map((path) => pathText(path)),
      [".a", ".b", ".c", ".c.d", ".e.f"],
    );
  });

  it("skips unknown kinds of elements of a later version", () => {
    const set = readFields({ "x:later": { "f:a": {} }, "f:a": { "y:other": {} } });

    assert.deepEqual(
      [...set.paths()].map((path) => pathText(path)),
      [".a"],
    );
  });

  for (const [what, fields] of Object.entries({
    "a name without a colon": { spec: {} },
    "a name that is too short": { f: {} },
    "a key that is not JSON": { "k:{name": {} },
    "a key that is not an object": { "k:1": {} },
    "a value that is not JSON": { "v:x": {} },
    "an index that is not a number": { "i:x": {} },
    "a list": [],
    "a string": "f:a",
    "a member that is not an object": { "f:a": 1 },
  })) {
    it(`refuses ${what}`, () => {
      assert.throws(() => readFields(fields), ParseError);
    });
  }

  it("refuses unlimited nesting", () => {
    const deep: unknown = JSON.parse(`${'{"f:a":'.repeat(5_000)}{}${"}".repeat(5_000)}`);

    assert.throws(() => readFields(deep), ParseError);
  });

  it("round-trips every set", () => {
    fc.assert(
      fc.property(fieldSets, (set) => {
        const read = readFields(JSON.parse(JSON.stringify(writeFields(set))));

        assert.ok(read.equals(set), JSON.stringify(writeFields(read)));
      }),
    );
  });

  it("only throws ParseError for malformed inputs", () => {
    const { accepted } = fuzz({
      count: 100_000,
      input: hostileFields,
      run: (text) => {
        const set = readFields(JSON.parse(text));
        assert.ok(readFields(writeFields(set)).equals(set));
      },
      isExpected: (error) => error instanceof ParseError || error instanceof SyntaxError,
    });

    assert.ok(accepted > 5_000 && accepted < 95_000, String(accepted));
  });
});

const valid = String.raw`{"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"k:{\"name\":\"x\",\"port\":80}":{".":{},"f:name":{}},"v:\"b\"":{},"i:3":{}}}`;
const pieces = ['"f:', '"k:', '"v:', '"i:', '"', "{", "}", ":", ",", ".", "\\", "__proto__", "null", "1e999", "[", "]"];

function hostileFields(chance: SeededRandom, n: number): string {
  if (n % 1_000 === 0) return `{"v:${"[".repeat(3_000)}${"]".repeat(3_000)}":{}}`;
  if (n % 10 < 4) return memberText(chance);
  return chance.mutate(valid, pieces);
}

/** Returns a member whose name has a malformed end, inside valid JSON. */
function memberText(chance: SeededRandom): string {
  const name = chance.pick(["f:", "k:", "v:", "i:", "z:", "", "."]) + chance.mutate('{"name":"x","port":80}', pieces);
  return JSON.stringify({ [name]: chance.pick<unknown>([{}, null, 1, [], { ".": {} }, { "f:__proto__": {} }]) });
}
