import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { deepClone } from "./clone.ts";
import { isEqual } from "./equality.ts";
import { deepFreeze } from "./freeze.ts";
import { anyJson, nest } from "../testing/json-values.ts";

describe("deepClone", () => {
  it("returns an equal value that shares no object or list with the original", () => {
    fc.assert(
      fc.property(anyJson(), (value) => {
        const text = JSON.stringify(value);

        const copy = deepClone(value);

        assert.equal(JSON.stringify(copy), text, "same values, same order of keys");
        assert.ok(!containersOf(copy).some((container) => containersOf(value).includes(container)));
      }),
    );
  });

  it("returns a mutable copy of a frozen value", () => {
    const original = deepFreeze({ spec: { ports: [80] } });

    const copy = deepClone(original) as { spec: { ports: number[] } };
    copy.spec.ports.push(81);

    assert.deepEqual(copy, { spec: { ports: [80, 81] } });
    assert.deepEqual(original, { spec: { ports: [80] } });
  });

  it("keeps an own __proto__ as data", () => {
    const value: unknown = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}');

    const copy = deepClone(value);

    assert.equal(JSON.stringify(copy), '{"__proto__":{"polluted":true},"a":1}');
    assert.equal(Object.getPrototypeOf(copy), Object.prototype);
    assert.equal(Reflect.get({}, "polluted"), undefined);
  });

  it("shares instances of classes", () => {
    const date = new Date(0);

    assert.equal(deepClone({ date }).date, date);
    assert.equal(deepClone(date), date);
  });

  it("copies values 100,000 levels deep", () => {
    const value = nest(100_000, { a: 1 });

    const copy = deepClone(value);

    assert.notEqual(copy, value);
    assert.ok(isEqual(copy, value));
  });
});

function containersOf(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(containersOf)];
}
