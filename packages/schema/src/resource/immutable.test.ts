import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { immutables } from "../testing/default-samples.ts";

/** Returns the paths at which an update from one spec to another is rejected. */
function refused(before: object, after: object): string[] {
  const make = (spec: object) => ({
    apiVersion: immutables.apiVersion,
    kind: immutables.kind,
    metadata: { name: "x" },
    spec: { name: "n", ...spec },
  });
  assert.deepEqual(immutables.check(make(before)), [], "the old object is fine");
  return immutables.check(make(after), { old: make(before) }).map(({ path }) => path);
}

// Each case was also run against a Kubernetes 1.36 API server, with the same result.
const updates: [string, object, object, string[]][] = [
  ["leaving everything", {}, {}, []],
  ["a required field", {}, { name: "m" }, ["spec.name"]],
  ["a defaulted field", {}, { mode: "b" }, ["spec.mode"]],
  ["adding an optional field", {}, { class: "c" }, ["spec.class"]],
  ["removing an optional field", { class: "c" }, {}, ["spec.class"]],
  ["changing an optional field", { class: "c" }, { class: "d" }, ["spec.class"]],
  ["setting what is set once", {}, { key: "c" }, []],
  ["removing what is set once", { key: "c" }, {}, ["spec.key"]],
  ["changing what is set once", { key: "c" }, { key: "d" }, ["spec.key"]],
  ["null to a value", { maybe: null }, { maybe: 1 }, ["spec.maybe"]],
  ["a value to null", { maybe: 1 }, { maybe: null }, ["spec.maybe"]],
  ["null to absent", { maybe: null }, {}, []],
  ["adding the object around a field", {}, { storage: {} }, ["spec.storage"]],
  ["removing the object around a field", { storage: {} }, {}, ["spec.storage"]],
  ["changing a field inside an object", { storage: {} }, { storage: { backend: "s3" } }, ["spec.storage.backend"]],
  ["changing its neighbour", { storage: {} }, { storage: { size: 4 } }, []],
  ["adding objects without the field", {}, { deep: { inner: { free: "x" } } }, []],
  ["adding objects with the field", {}, { deep: { inner: { fixed: "x" } } }, ["spec.deep.inner.fixed"]],
  ["adding it to the outer object", { deep: {} }, { deep: { inner: { fixed: "x" } } }, ["spec.deep.inner.fixed"]],
  [
    "adding it to the inner object",
    { deep: { inner: {} } },
    { deep: { inner: { fixed: "x" } } },
    ["spec.deep.inner.fixed"],
  ],
  ["removing both objects", { deep: { inner: { fixed: "x" } } }, {}, ["spec.deep.inner.fixed"]],
  ["removing the inner object", { deep: { inner: { fixed: "x" } } }, { deep: {} }, ["spec.deep.inner.fixed"]],
  ["removing objects without the field", { deep: { inner: { free: "x" } } }, {}, []],
  ["setting it inside an object", {}, { kept: { token: "a" } }, []],
  ["removing the object with it", { kept: { token: "a" } }, {}, ["spec.kept.token"]],
  ["removing it from the object", { kept: { token: "a" } }, { kept: {} }, ["spec.kept.token"]],
  ["adding an item", {}, { volumes: [{ name: "a", type: "t" }] }, []],
  ["removing an item", { volumes: [{ name: "a", type: "t" }] }, { volumes: [] }, []],
  [
    "changing a field of an item",
    { volumes: [{ name: "a", type: "t" }] },
    { volumes: [{ name: "a", type: "u" }] },
    ["spec.volumes[0].type"],
  ],
  [
    "adding a field to the value of a map",
    { pools: { a: {} } },
    { pools: { a: { zone: "z" } } },
    ["spec.pools[a].zone"],
  ],
  ["adding a key to a map", { pools: { a: {} } }, { pools: { a: {}, b: { zone: "z" } } }, []],
  ["changing inside an immutable object", { frozen: { a: 1 } }, { frozen: { a: 2 } }, ["spec.frozen"]],
  ["reordering an immutable list", { access: ["a", "b"] }, { access: ["b", "a"] }, ["spec.access"]],
];

describe("an immutable field", () => {
  for (const [name, before, after, places] of updates) {
    it(`${places.length === 0 ? "allows" : "forbids"} ${name}`, () => {
      assert.deepEqual(refused(before, after), places);
    });
  }
});
