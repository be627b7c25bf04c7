import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { propertyRuns } from "@homeostat/fuzz";
import { isEqual, isRecord } from "@homeostat/core";
import { formatProblem } from "@homeostat/schema";
import fc from "fast-check";
import { at, edit, type Loose, normalOf, object, specV1, specV2, to } from "../testing/random-specs.ts";
import { LocustTest, type LocustTestInput } from "../api/locust-test.ts";

const v1 = "locust.io/v1";
const v2 = "locust.io/v2";
const runs = { numRuns: propertyRuns(1_000) };
const smallV1 = { image: "i", masterCommandSeed: "m", workerCommandSeed: "w", workerReplicas: 2 };

/** Returns a v2 test as it is stored. */
function full(spec: object): Loose {
  return LocustTest.default(object(v2, spec) as unknown as LocustTestInput) as unknown as Loose;
}

/** Returns a value without empty lists and objects. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value)
    .map(([name, inner]) => [name, withoutEmpty(inner)] as const)
    .filter(([, inner]) => !(isEqual(inner, {}) || isEqual(inner, []) || inner === ""));
  return Object.fromEntries(entries);
}

/** Returns a copy without the value at a path, and without containers that become empty. */
function without(value: unknown, [first = "", ...rest]: readonly string[]): unknown {
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).flatMap(([name, inner]) => {
    if (name !== first) return [[name, inner] as const];
    return rest.length === 0 ? [] : [[name, without(inner, rest)] as const];
  });
  return Object.fromEntries(entries);
}

describe("conversion laws on random tests", () => {
  it("v2 to v1 and back returns the same object, and is valid in v1", () => {
    fc.assert(
      fc.property(specV2, (spec) => {
        const start = full(spec);

        const there = to(v1, start);
        const back = to(v2, there);

        assert.deepEqual(LocustTest.versions.v1.check(there).map(formatProblem), []);
        assert.deepEqual(normalOf(back), normalOf(start));
        assert.deepEqual(back.metadata, start.metadata);
      }),
      runs,
    );
  });

  it("v1 to v2 and back returns the same object except for empty containers, and is valid in v2", () => {
    fc.assert(
      fc.property(specV1, (spec) => {
        const start = object(v1, spec);

        const there = to(v2, start);
        const back = to(v1, there);

        assert.deepEqual(LocustTest.check(there).map(formatProblem), []);
        assert.deepEqual(withoutEmpty(back), withoutEmpty(start));
      }),
      runs,
    );
  });

  it("a change of one field of v1 changes exactly its counterpart", () => {
    fc.assert(
      fc.property(specV2, edit, (spec, { name, value, at: path }) => {
        const start = full(spec);
        const there = to(v1, start);

        const back = to(v2, { ...there, spec: { ...there.spec, [name]: value } });

        const expected = at(to(v2, object(v1, { ...smallV1, [name]: value })).spec, path);
        assert.deepEqual(at(back.spec, path), expected);
        // The parent object may have been created with the field.
        const rest = (loose: Loose): unknown => withoutEmpty(without(normalOf(loose), path));
        const defaults = path[0] === "testFiles" && start.spec["testFiles"] === undefined;
        if (!defaults) assert.deepEqual(rest(back), rest(start));
      }),
      runs,
    );
  });

  it("a second conversion changes nothing", () => {
    fc.assert(
      fc.property(specV2, (spec) => {
        const once = to(v2, to(v1, object(v2, spec)));

        assert.deepEqual(to(v2, to(v1, once)), once);
      }),
      { numRuns: 100 },
    );
  });
});
