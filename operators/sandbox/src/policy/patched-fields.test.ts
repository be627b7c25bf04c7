import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatPointer } from "@homeostat/core";
import { isUnder, type Patch, touchedFields } from "./patched-fields.ts";

const json = (...value: object[]): Patch => ({ type: "JSON", value });
const pointersOf = (patch: Patch): string[] => [...touchedFields(patch)].map(({ pointer }) => formatPointer(pointer));

describe("touchedFields", () => {
  it("yields every object, list and value that a patch sets", () => {
    const patch: Patch = { type: "Strategic", value: { spec: { replicas: 1, list: [{ a: "b" }] } } };

    assert.deepEqual(pointersOf(patch), [
      "",
      "/spec",
      "/spec/replicas",
      "/spec/list",
      "/spec/list/0",
      "/spec/list/0/a",
    ]);
  });

  it("yields removed fields and both ends of moves, and no fields of tests", () => {
    const patch = json(
      { op: "remove", path: "/spec/replicas" },
      { op: "move", from: "/spec/a", path: "/spec/b" },
      { op: "test", path: "/spec/c", value: 1 },
    );

    assert.deepEqual(pointersOf(patch), ["/spec/replicas", "/spec/b", "/spec/a"]);
  });

  it("ignores malformed operations", () => {
    assert.deepEqual(pointersOf(json({}, { path: 3 }, { op: "add", path: "x", value: 1 })), []);
    assert.deepEqual(pointersOf({ type: "JSON", value: "x" }), []);
  });
});

describe("isUnder", () => {
  it("compares steps, and accepts any step for *", () => {
    assert.ok(isUnder(["spec", "containers", "0", "image"], ["spec", "containers", "*", "image"]));
    assert.ok(!isUnder(["spec"], ["spec", "containers"]));
    assert.ok(!isUnder(["spec", "initContainers", "0"], ["spec", "containers"]));
  });
});
