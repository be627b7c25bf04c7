import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toJson } from "./json.ts";

describe("toJson", () => {
  it("copies JSON with any keys", () => {
    const value: unknown = JSON.parse('{"a": [1, "x", null, {"__proto__": {"b": true}}]}');

    const copy = toJson(value);

    assert.deepEqual(copy, value);
    assert.notEqual(copy, value);
    assert.equal(JSON.stringify(copy), JSON.stringify(value));
  });

  it("omits undefined properties, as JSON.stringify does", () => {
    assert.deepEqual(toJson({ a: undefined, b: 1 }), { b: 1 });
  });

  it("returns undefined for values that are not JSON", () => {
    const deep = Array.from({ length: 200 }).reduce<unknown>((inner) => [inner], 1);

    for (const value of [
      undefined,
      NaN,
      Infinity,
      1n,
      () => 1,
      Symbol("x"),
      new Date(0),
      [undefined],
      { a: NaN },
      deep,
    ]) {
      assert.equal(toJson(value), undefined);
    }
  });
});
