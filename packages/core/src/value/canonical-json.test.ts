import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { canonicalJson } from "./canonical-json.ts";

describe("canonical JSON", () => {
  it("does not depend on the order of keys", () => {
    assert.equal(canonicalJson({ b: 1, a: { d: [], c: "x" } }), '{"a":{"c":"x","d":[]},"b":1}');
    assert.equal(canonicalJson({ a: { c: "x", d: [] }, b: 1 }), '{"a":{"c":"x","d":[]},"b":1}');
  });

  it("depends on the order of elements", () => {
    assert.notEqual(canonicalJson([1, 2]), canonicalJson([2, 1]));
  });

  it("leaves out undefined properties and keeps undefined elements as null", () => {
    assert.equal(canonicalJson({ a: undefined, b: [undefined, null] }), '{"b":[null,null]}');
    assert.equal(canonicalJson(undefined), "null");
  });

  it("keeps keys such as __proto__", () => {
    assert.equal(canonicalJson(JSON.parse('{"b":1,"__proto__":{"x":1}}')), '{"__proto__":{"x":1},"b":1}');
  });

  it("is read as the same value", () => {
    const value = { text: 'a"\n\u2028', list: [true, null, 1.5, { x: "" }] };

    assert.deepEqual(JSON.parse(canonicalJson(value)), value);
  });
});
