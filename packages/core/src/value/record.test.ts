import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createContext, runInContext } from "node:vm";
import { isPlainRecord, isRecord, ownValue, safeSet } from "./record.ts";

describe("safeSet", () => {
  it("stores __proto__ as an own property and leaves the prototype", () => {
    const map: Record<string, unknown> = {};

    safeSet(map, "__proto__", { polluted: true });
    safeSet(map, "constructor", 1);

    assert.deepEqual(Object.keys(map), ["__proto__", "constructor"]);
    assert.equal(Object.getPrototypeOf(map), Object.prototype);
    assert.equal(Reflect.get(map, "polluted"), undefined);
  });

  it("replaces a __proto__ stored before", () => {
    const map: Record<string, unknown> = {};

    safeSet(map, "__proto__", 1);
    safeSet(map, "__proto__", 2);

    assert.equal(JSON.stringify(map), '{"__proto__":2}');
  });
});

describe("ownValue", () => {
  it("finds own properties and nothing that is inherited", () => {
    assert.equal(ownValue({ a: 1 }, "a"), 1);
    for (const key of ["toString", "constructor", "__proto__", "hasOwnProperty", "b"]) {
      assert.equal(ownValue({ a: 1 }, key), undefined, key);
    }
  });
});

describe("isRecord and isPlainRecord", () => {
  it("know objects from lists, null and scalars", () => {
    assert.ok(isRecord({}));
    for (const value of [[], null, undefined, 1, "a", () => 1]) assert.equal(isRecord(value), false);
  });

  it("take objects of another realm as plain, instances of classes not", () => {
    const foreign = runInContext("({ a: 1 })", createContext()) as object;

    assert.ok(isPlainRecord(foreign));
    assert.ok(isPlainRecord(Object.create(null) as object));
    assert.equal(isPlainRecord(new Date()), false);
    assert.equal(isPlainRecord(new URL("https://example.com")), false);
  });
});
