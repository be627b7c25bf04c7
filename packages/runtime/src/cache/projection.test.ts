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
  it("keeps the fields that were named and who the object is", () => {
    assert.deepEqual(projection(["status.phase"])(pod), {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "a", uid: "u", labels: { app: "web" } },
      status: { phase: "Running" },
    });
  });

  it("passes through lists", () => {
    const { spec } = projection(["spec.containers.name"])(pod);

    assert.deepEqual(spec, { containers: [{ name: "x" }, { name: "y" }] });
  });

  it("takes keys with dots as parts of a list", () => {
    const { metadata } = projection([["metadata", "annotations", "a.b/c"]])(pod);

    assert.deepEqual(metadata, { name: "a", uid: "u", labels: { app: "web" }, annotations: { "a.b/c": "1" } });
  });

  it("keeps a field whole when it was named whole, whatever else was named of it", () => {
    for (const paths of [
      ["spec", "spec.nodeName"],
      ["spec.nodeName", "spec"],
    ]) {
      assert.equal(projection(paths)(pod).spec, pod.spec);
    }
  });

  it("is not led astray by names", () => {
    const hostile: unknown = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"x":1}}');

    const kept = projection(["__proto__.polluted", "toString", "constructor.x"])(hostile);

    assert.deepEqual(Object.entries(kept as object), [
      ["__proto__", { polluted: true }],
      ["constructor", { x: 1 }],
    ]);
    assert.equal(Reflect.get({}, "polluted"), undefined);
  });

  it("refuses a path that names no field", () => {
    for (const path of ["", "a..b", ".a", []]) assert.throws(() => projection([path]), ArgumentError);
  });
});
