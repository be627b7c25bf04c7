import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConflictError, type KubeObject } from "@homeostat/core";
import fc from "fast-check";
import { ApplyMemory } from "./apply-memory.ts";
import { conflictsOf } from "./conflicts.ts";
import { digestOf } from "./digest.ts";

const object = (data: unknown, metadata: object = {}): KubeObject & { data: unknown } => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { uid: "u", resourceVersion: "1", ...metadata },
  data,
});

describe("ApplyMemory", () => {
  it("recognizes an object by everything except resource version, status and managedFields", () => {
    const memory = new ApplyMemory();
    memory.remember(object({ a: 1 }), { config: 1 });

    assert.equal(memory.isSettled(object({ a: 1 }), { config: 1 }), true, "at the same version");
    const later = { ...object({ a: 1 }, { resourceVersion: "2", generation: 7, managedFields: [] }), status: { x: 1 } };

    assert.equal(memory.isSettled(later, { config: 1 }), true);
    assert.equal(memory.isSettled(object({ b: 2, a: 1 }, { resourceVersion: "4" }), { config: 1 }), false);
    assert.equal(memory.isSettled(object({ a: 2 }, { resourceVersion: "3" }), { config: 1 }), false);
    assert.equal(
      memory.isSettled(object({ a: 1 }, { resourceVersion: "3", labels: { x: "y" } }), { config: 1 }),
      false,
    );
    assert.equal(memory.isSettled(later, { config: 2 }), false);
    assert.equal(memory.isSettled(object({ a: 1 }, { uid: "another" }), { config: 1 }), false);
  });

  it("ignores the order of keys", () => {
    const memory = new ApplyMemory();
    memory.remember(object({ a: 1, b: 2 }), { x: 1, y: 2 });

    assert.equal(memory.isSettled(object({ b: 2, a: 1 }, { resourceVersion: "2" }), { y: 2, x: 1 }), true);
    assert.equal(memory.isRepeated(object({}), { y: 2, x: 1 }), true);
  });

  it("limits the number of remembered objects", () => {
    const memory = new ApplyMemory({ objectsMax: 2 });

    for (const uid of ["a", "b", "c"]) memory.remember(object({}, { uid }), {});

    assert.equal(memory.size, 2);
    assert.equal(memory.isSettled(object({}, { uid: "a" }), {}), false);
  });
});

describe("digestOf", () => {
  it("is the same for equal values", () => {
    assert.equal(digestOf({ a: 1, b: [{ c: 2, d: undefined }] }), digestOf({ b: [{ c: 2 }], a: 1 }));
    assert.notEqual(digestOf([1, 2]), digestOf([2, 1]));
    assert.notEqual(digestOf({ a: "1" }), digestOf({ a: 1 }));
    assert.notEqual(digestOf({ a: { b: 1 } }), digestOf({ a: [["b", 1]] }));
  });

  it("is different for different values, with any keys", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const isSame = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
        assert.equal(digestOf(a) === digestOf(b), isSame);
      }),
      { numRuns: 1000 },
    );
  });

  it("supports any depth", () => {
    let deep: unknown = {};
    for (let level = 0; level < 1000; level += 1) deep = { a: deep };

    assert.equal(digestOf(deep), digestOf(structuredClone(deep)));
  });
});

describe("conflictsOf", () => {
  it("parses field and manager from the message of the server", () => {
    const causes = [
      { reason: "FieldManagerConflict", field: ".spec.replicas", message: 'conflict with "a \\"b\\"" using apps/v1' },
      { reason: "FieldManagerConflict", field: ".spec.x", message: "conflict" },
      { reason: "Other", field: ".spec.y" },
    ];
    const error = new ConflictError({
      status: 409,
      reason: "Conflict",
      serverMessage: "",
      causes,
      details: {},
      hasStatus: true,
    });

    assert.deepEqual(conflictsOf(error), [
      { field: "spec.replicas", manager: 'a "b"' },
      { field: "spec.x", manager: undefined },
    ]);
  });
});

/** Returns the value with sorted keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => ["entry", key, sorted(inner)])
    .concat([["record"]]);
}
