import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findTests, sourceOf } from "./find-tests.ts";
import { root } from "./tidy/tree.ts";

describe("findTests", () => {
  it("finds compiled tests by a part of their path", () => {
    assert.deepEqual(findTests(root, "unit", ["tools/dev/src/find-tests"]), ["tools/dev/dist/find-tests.test.js"]);
  });
});

describe("sourceOf", () => {
  it("returns the TypeScript source of a compiled file", () => {
    assert.equal(sourceOf("packages/core/dist/json/merge.test.js"), "packages/core/src/json/merge.test.ts");
  });
});
