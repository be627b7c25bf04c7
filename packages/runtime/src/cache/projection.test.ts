import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ArgumentError } from "@homeostat/core";
import { projection } from "./projection.ts";

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", uid: "u", labels: { app: "web" }, annotations: { "a.b/c": "1", other: "2" } },
  spec: { nodeName: "n", containers: [{ name: "x", image: "i", env: [{ name: "E" }] }, { name: "y" }] },
  status: { phase: "Running" },
};

describe("a projection", () => {
  it("keeps the named fields and the identity of the object", () => {
    assert.deepEqual(projection(["status.phase"])(pod), {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "a", uid: "u", labels: { app: "web" } },
      status: { phase: "Running" },
    });
  });

  it("applies to each element of a list", () => {
    const { spec } = projection(["spec.containers.name"])(pod);

    assert.deepEqual(spec, { containers: [{ name: "x" }, { name: "y" }] });
  });

  it("accepts keys with dots as parts of an array", () => {
    const { metadata } = projection([["metadata", "annotations", "a.b/c"]])(pod);

    assert.deepEqual(metadata, { name: "a", uid: "u", labels: { app: "web" }, annotations: { "a.b/c": "1" } });
  });

  it("keeps a field as a whole if it was named, even if parts of it were named, too", () => {
    for (const paths of [
      ["spec", "spec.nodeName"],
      ["spec.nodeName", "spec"],
    ]) {
      assert.equal(projection(paths)(pod).spec, pod.spec);
    }
  });

  it("handles keys such as __proto__ safely", () => {
    const hostile: unknown = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"x":1}}');

    const kept = projection(["__proto__.polluted", "toString", "constructor.x"])(hostile);

    assert.deepEqual(Object.entries(kept as object), [
      ["__proto__", { polluted: true }],
      ["constructor", { x: 1 }],
    ]);
    assert.equal(Reflect.get({}, "polluted"), undefined);
  });

  it("rejects an empty path or path segment", () => {
    for (const path of ["", "a..b", ".a", []]) assert.throws(() => projection([path]), ArgumentError);
  });
});
