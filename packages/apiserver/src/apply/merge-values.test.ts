import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mergeValues } from "./merge-values.ts";
import { deduced, MergeTypes } from "./merge-type.ts";
import type { TypeSchema } from "./type-schema.ts";

const types = new MergeTypes();
const set = types.of({ type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } }, false);
const atomic = types.of({ type: "array", items: { type: "string" } }, false);
const struct: TypeSchema = { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } };
const granular = types.of(struct, false);
const whole = types.of({ ...struct, "x-kubernetes-map-type": "atomic" }, false);

function merged(live: string, applied: string): string {
  const value = mergeValues(set, live.split(""), applied.split(""));
  return Array.isArray(value) ? value.join("") : "";
}

describe("merging lists", () => {
  for (const [live, applied, result] of [
    ["", "ab", "ab"],
    ["ab", "", "ab"],
    ["ab", "ab", "ab"],
    ["ab", "ba", "ba"],
    ["ab", "c", "abc"],
    ["abc", "cb", "acb"],
    ["abcd", "dx", "abcdx"],
    ["abcd", "xd", "abcxd"],
    ["axbyc", "cba", "xycba"],
    ["ab", "xaxb", "xab"],
  ] as const) {
    it(`of ${live || "nothing"} and ${applied || "nothing"} gives ${result}`, () => {
      assert.equal(merged(live, [...new Set(applied.split(""))].join("")), result);
    });
  }

  it("replaces an atomic list", () => {
    assert.deepEqual(mergeValues(atomic, ["a", "b"], ["c"]), ["c"]);
  });
});

describe("merging maps", () => {
  it("merges field by field", () => {
    assert.deepEqual(mergeValues(granular, { a: "1", b: "1" }, { b: "2" }), { a: "1", b: "2" });
  });

  it("replaces an atomic map", () => {
    assert.deepEqual(mergeValues(whole, { a: "1", b: "1" }, { b: "2" }), { b: "2" });
  });

  it("distinguishes empty and null", () => {
    assert.deepEqual(mergeValues(granular, {}, null), null);
    assert.deepEqual(mergeValues(granular, null, {}), {});
    assert.deepEqual(mergeValues(granular, { a: "1" }, null), { a: "1" });
  });

  it("merges values without a schema by their form", () => {
    assert.deepEqual(mergeValues(deduced, { a: { b: 1 }, c: [1] }, { a: { d: 2 }, c: [2] }), {
      a: { b: 1, d: 2 },
      c: [2],
    });
    assert.deepEqual(mergeValues(deduced, { a: { b: 1 } }, { a: 5 }), { a: 5 });
    assert.deepEqual(mergeValues(deduced, { a: 5 }, { a: { b: 1 } }), { a: { b: 1 } });
  });

  it("treats a field named __proto__ like any other", () => {
    const value = mergeValues(deduced, JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"b":2}}'));

    assert.equal(JSON.stringify(value), '{"__proto__":{"a":1,"b":2}}');
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
  });
});
