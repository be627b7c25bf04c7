import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cpuMs } from "@homeostat/fuzz/cpu-time";
import * as fc from "fast-check";
import { deepClone } from "./clone.ts";
import { isEqual } from "./equality.ts";
import { anyJson, nest } from "../testing/json-values.ts";

describe("isEqual", () => {
  const equal: [string, unknown, unknown][] = [
    ["keys in another order", { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ["an undefined property and an absent one", { a: 1, b: undefined }, { a: 1 }],
    ["undefined properties of different names", { a: undefined, c: 1 }, { b: undefined, c: 1 }],
    ["zero and minus zero", { a: 0 }, { a: -0 }],
    ["NaN and NaN", [Number.NaN], [Number.NaN]],
    ["an object without a prototype and a plain one", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ["empty lists", [], []],
  ];
  for (const [name, a, b] of equal) {
    it(`treats as equal: ${name}`, () => {
      assert.equal(isEqual(a, b), true);
      assert.equal(isEqual(b, a), true);
    });
  }

  const different: [string, unknown, unknown][] = [
    ["elements in another order", [1, 2], [2, 1]],
    ["a longer list", [1], [1, undefined]],
    ["null and an absent property", { a: null }, {}],
    ["null and undefined", null, undefined],
    ["a list and an object with the same keys", ["x"], { 0: "x" }],
    ["an empty list and an empty object", [], {}],
    ["a number and its text", 1, "1"],
    ["the same count of other keys", { a: 1, b: 2 }, { a: 1, c: 2 }],
    ["a key that the other has only by inheritance", { toString: undefined, a: 1 }, { b: 1 }],
    ["an inherited value", { constructor: Object }, {}],
    ["two dates", new Date(0), new Date(1)],
    ["a date and an object", new Date(0), {}],
    ["two maps", new Map([[1, 2]]), new Map([[1, 3]])],
    ["an own __proto__ and none", JSON.parse('{"__proto__": {"a": 1}}'), {}],
    ["different own __proto__", JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 2}')],
  ];
  for (const [name, a, b] of different) {
    it(`treats as different: ${name}`, () => {
      assert.equal(isEqual(a, b), false);
      assert.equal(isEqual(b, a), false);
    });
  }

  it("agrees with canonical JSON on any two values", () => {
    fc.assert(
      fc.property(anyJson(), anyJson(), (a, b) => {
        assert.equal(isEqual(a, b), canonical(a) === canonical(b));
      }),
      { numRuns: 2000 },
    );
  });

  it("finds a value equal to its copy, and unequal once a leaf of the copy changes", () => {
    fc.assert(
      fc.property(anyJson(), (value) => {
        const wrapped = { value, leaf: 1 };

        assert.equal(isEqual(wrapped, deepClone(wrapped)), true);
        assert.equal(isEqual(wrapped, { ...deepClone(wrapped), leaf: 2 }), false);
      }),
    );
  });

  it("compares values 100,000 levels deep", () => {
    assert.equal(isEqual(nest(100_000, 1), nest(100_000, 1)), true);
    assert.equal(isEqual(nest(100_000, 1), nest(100_000, 2)), false);
  });

  it("takes linear time when the order of keys differs on every level", () => {
    const build = ({ flipped }: { flipped: boolean }): unknown => {
      let child: unknown = 0;
      for (let i = 0; i < 150; i += 1) child = flipped ? { child, y: 2, x: 1 } : { child, x: 1, y: 2 };
      return child;
    };
    let result = false;

    const ms = cpuMs(() => {
      result = isEqual(build({ flipped: false }), build({ flipped: true }));
    });

    assert.equal(result, true);
    assert.ok(ms < 1000, `took ${ms} ms; doubling per level would never end`);
  });
});

/** Returns JSON with sorted keys, an independent and slow way to compare values. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, child]) => `${JSON.stringify(key)}:${canonical(child)}`).join()}}`;
}
