import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import * as fc from "fast-check";
import { deepClone } from "../value/clone.ts";
import { isEqual } from "../value/equality.ts";
import { deepFreeze } from "../value/freeze.ts";
import { anyJson, hostileKeys, nest } from "../testing/json-values.ts";
import { diffMergePatch } from "./diff-merge-patch.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { PatchError } from "./patch-error.ts";

// The test cases of RFC 7386, appendix A: original, patch, result.
const published: [string, string, string][] = [
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', "{}"],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', "null", "null"],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ["[1,2]", '{"a":"b","c":null}', '{"a":"b"}'],
  ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
];

describe("applyMergePatch", () => {
  for (const [original, patch, expected] of published) {
    it(`returns the published result for ${original} and ${patch}`, () => {
      assert.equal(JSON.stringify(applyMergePatch(JSON.parse(original), JSON.parse(patch))), expected);
    });
  }

  it("changes neither the target nor the patch, and shares unchanged parts", () => {
    const target = deepFreeze({ spec: { a: 1, b: 2 }, status: { x: [1] } });
    const patch = deepFreeze({ spec: { a: null } });

    const result = applyMergePatch(target, patch) as typeof target;

    assert.deepEqual(result, { spec: { b: 2 }, status: { x: [1] } });
    assert.equal(result.status, target.status);
  });

  it("behaves like the pseudocode of the RFC for any two values", () => {
    fc.assert(
      fc.property(anyJson(), anyJson(), (target, patch) => {
        const before = JSON.stringify([target, patch]);

        const result = applyMergePatch(deepFreeze(deepClone(target)), deepFreeze(deepClone(patch)));

        assert.equal(JSON.stringify([target, patch]), before);
        assert.ok(isEqual(result, applyByTheBook(target, patch)), JSON.stringify(result));
      }),
      { numRuns: 1000 },
    );
  });

  it("stores keys such as __proto__ as data, and removes only own ones", () => {
    const patch: unknown = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}');

    const result = applyMergePatch({}, patch);

    assert.equal(JSON.stringify(result), JSON.stringify(patch));
    assert.equal(Object.getPrototypeOf(result), Object.prototype);
    assert.equal(Reflect.get({}, "polluted"), undefined);
    assert.deepEqual(applyMergePatch({ a: 1 }, { toString: null, hasOwnProperty: null }), { a: 1 });
  });

  it("accepts patches that are 100,000 levels deep", () => {
    const build = (): unknown => {
      let value: unknown = 1;
      for (let i = 0; i < 100_000; i += 1) value = { a: value };
      return value;
    };

    assert.ok(isEqual(applyMergePatch(build(), build()), build()));
  });

  it("accepts any patch quickly", () => {
    const document = { metadata: { labels: { a: "b" } }, spec: { list: [1, { a: 1 }], deep: { er: { still: null } } } };
    const { accepted } = fuzz({
      count: 100_000,
      seed: 7386,
      input: (chance) => {
        const value = (depth: number): unknown => {
          const kind = chance.int(depth > 4 ? 3 : 6);
          if (kind === 0) return null;
          if (kind === 1) return chance.int(10);
          if (kind === 2) return chance.pick(hostileKeys);
          if (kind === 3) return [value(depth + 1), value(depth + 1)];
          const keys = [...hostileKeys, "metadata", "labels", "spec", "list", "deep", "er", "still", "a"];
          return Object.fromEntries([0, 1, 2].map(() => [chance.pick(keys), value(depth + 1)]));
        };
        return value(0);
      },
      run: (patch) => {
        const result = applyMergePatch(document, patch);
        assert.ok(isEqual(result, applyByTheBook(document, patch)));
      },
      isExpected: () => false,
    });

    assert.equal(accepted, 100_000);
  });
});

describe("diffMergePatch", () => {
  const cases: [string, unknown, unknown, unknown][] = [
    ["nothing for equal values", { a: { b: [1] } }, { a: { b: [1] } }, undefined],
    ["only what changed", { a: 1, b: { c: 1, d: 2 } }, { a: 1, b: { c: 1, d: 3 } }, { b: { d: 3 } }],
    ["null for what is gone", { a: 1, b: { c: 1 } }, { b: {} }, { a: null, b: { c: null } }],
    ["a whole list", { a: [1, 2] }, { a: [1, 3] }, { a: [1, 3] }],
    ["an empty object in place of a scalar", { a: 5 }, { a: {} }, { a: {} }],
    ["an object in place of a list", { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
    ["a scalar root", { a: 1 }, 5, 5],
    ["nothing for an undefined property", { a: undefined, b: 1 }, { b: 1, c: undefined }, undefined],
    ["null for a property that became undefined", { a: 1 }, { a: undefined }, { a: null }],
    ["nothing about null that stays", { a: null, b: 1 }, { a: null, b: 2 }, { b: 2 }],
    ["null inside a list", { a: [] }, { a: [{ b: null }, null] }, { a: [{ b: null }, null] }],
  ];
  for (const [name, from, to, expected] of cases) {
    it(`returns ${name}`, () => {
      assert.deepEqual(diffMergePatch(from, to), expected);
    });
  }

  it("refuses to set a property to null, and names it", () => {
    assert.throws(() => diffMergePatch({ a: { "b/c": 1 } }, { a: { "b/c": null } }), {
      name: "PatchError",
      code: "PATCH",
      reason: "not-expressible",
      path: "/a/b~1c",
    });
    assert.throws(() => diffMergePatch({}, { a: { b: null } }), { reason: "not-expressible", path: "/a/b" });
  });

  it("returns a patch that turns one value into the other, for any two without null properties", () => {
    fc.assert(
      fc.property(anyJson({ nulls: false }), anyJson({ nulls: false }), (from, to) => {
        const patch = diffMergePatch(deepFreeze(deepClone(from)), deepFreeze(deepClone(to)));

        assert.equal(patch === undefined, isEqual(from, to));
        const result = patch === undefined ? from : applyMergePatch(from, patch);
        assert.ok(isEqual(result, to), JSON.stringify(patch));
      }),
      { numRuns: 2000 },
    );
  });

  it("returns the smallest patch: every entry is necessary", () => {
    fc.assert(
      fc.property(anyJson({ nulls: false }), anyJson({ nulls: false }), (from, to) => {
        const [before, after] = [{ root: from ?? 0 }, { root: to ?? 0 }];
        const patch = diffMergePatch(before, after);

        for (const smaller of patch === undefined ? [] : withoutOneEntry(patch)) {
          assert.ok(!isEqual(applyMergePatch(before, smaller), after), JSON.stringify({ patch, smaller }));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("refuses a difference deeper than 1,000 levels, and accepts equal values of any depth", () => {
    const wrap = (core: unknown): unknown => ({ a: { a: nest(100_000, core) }, b: core });

    assert.throws(
      () => diffMergePatch(deep(2000, 1), deep(2000, 2)),
      (error) => error instanceof PatchError && error.reason === "too-large",
    );
    assert.equal(diffMergePatch(wrap(1), wrap(1)), undefined);
    assert.equal(diffMergePatch(deep(100_000, 1), deep(100_000, 1)), undefined);
  });
});

function deep(depth: number, core: unknown): unknown {
  let value = core;
  for (let i = 0; i < depth; i += 1) value = { a: value };
  return value;
}

/** The pseudocode of RFC 7386, section 2. */
function applyByTheBook(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const isObject = typeof target === "object" && target !== null && !Array.isArray(target);
  const entries = new Map(isObject ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) entries.delete(name);
    else entries.set(name, applyByTheBook(entries.get(name), value));
  }
  return Object.fromEntries(entries);
}

/** Returns every patch that lacks one entry of this one, at any depth. */
function withoutOneEntry(patch: unknown): unknown[] {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return [];
  const entries = Object.entries(patch);
  return entries.flatMap(([key, value], i) => [
    Object.fromEntries(entries.toSpliced(i, 1)),
    ...withoutOneEntry(value).map((smaller) => Object.fromEntries(entries.with(i, [key, smaller]))),
  ]);
}
