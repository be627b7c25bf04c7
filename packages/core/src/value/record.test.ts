import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createContext, runInContext } from "node:vm";
import { fillDefaults, isPlainRecord, isRecord, ownValue, safeSet, withoutUndefined } from "./record.ts";

describe("safeSet", () => {
  it("stores __proto__ as an own property and keeps the prototype", () => {
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
  it("returns own properties and ignores inherited ones", () => {
    assert.equal(ownValue({ a: 1 }, "a"), 1);
    for (const key of ["toString", "constructor", "__proto__", "hasOwnProperty", "b"]) {
      assert.equal(ownValue({ a: 1 }, key), undefined, key);
    }
  });
});

describe("isRecord and isPlainRecord", () => {
  it("distinguish objects from lists, null and scalars", () => {
    assert.ok(isRecord({}));
    for (const value of [[], null, undefined, 1, "a", () => 1]) assert.equal(isRecord(value), false);
  });

  it("accept objects of another realm as plain, but not instances of classes", () => {
    const foreign = runInContext("({ a: 1 })", createContext()) as object;

    assert.ok(isPlainRecord(foreign));
    assert.ok(isPlainRecord(Object.create(null) as object));
    assert.equal(isPlainRecord(new Date()), false);
    assert.equal(isPlainRecord(new URL("https://example.com")), false);
  });
});

describe("withoutUndefined", () => {
  it("removes undefined properties and keeps all others", () => {
    assert.deepEqual(Object.entries(withoutUndefined({ a: undefined, b: null, c: 0, d: "", e: false })), [
      ["b", null],
      ["c", 0],
      ["d", ""],
      ["e", false],
    ]);
  });
});

describe("fillDefaults", () => {
  const table: readonly (readonly [string, unknown, unknown])[] = [
    ["a missing object", undefined, { a: { b: 1 } }],
    ["a missing field", { c: 2 }, { c: 2, a: { b: 1 } }],
    ["a null", { a: null }, { a: { b: 1 } }],
    ["a field of an object", { a: { c: 2 } }, { a: { c: 2, b: 1 } }],
    ["a value that is set", { a: { b: 5 } }, { a: { b: 5 } }],
    ["a falsy value that is set", { a: { b: 0 } }, { a: { b: 0 } }],
    ["a value of another type", { a: "text" }, { a: "text" }],
    ["a list", { a: [1] }, { a: [1] }],
    ["something that is not an object", 7, 7],
  ];
  for (const [name, value, expected] of table) {
    it(`handles ${name}`, () => {
      assert.deepEqual(fillDefaults(value, { a: { b: 1 } }), expected);
    });
  }

  it("fills in a field that only the prototype has, and changes neither argument", () => {
    const value = { a: {} };
    const defaults = { a: { constructor: 1 } };

    assert.deepEqual(fillDefaults(value, defaults), { a: { constructor: 1 } });
    assert.deepEqual(value, { a: {} });
    assert.deepEqual(defaults, { a: { constructor: 1 } });
  });
});
