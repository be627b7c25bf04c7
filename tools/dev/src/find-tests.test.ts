import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findTests, sourceOf } from "./find-tests.ts";
import { root } from "./tidy/tree.ts";

describe("findTests", () => {
  it("finds compiled tests by a part of their path", () => {
    assert.deepEqual(findTests(root, "unit", ["tools/dev/src/find-tests"]), ["tools/dev/dist/find-tests.test.js"]);
  });

  it("finds integration tests by the end of their name, and not among unit tests", () => {
    const part = ["operators/tenant/src/reconcile/"];

    assert.ok(
      findTests(root, "integration", part).includes("operators/tenant/dist/reconcile/crash.integration.test.js"),
    );
    assert.ok(findTests(root, "unit", part).includes("operators/tenant/dist/reconcile/life.test.js"));
    assert.ok(findTests(root, "unit", part).every((path) => !path.includes(".integration.")));
    assert.ok(findTests(root, "integration", part).every((path) => path.includes(".integration.")));
  });
});

describe("sourceOf", () => {
  it("returns the TypeScript source of a compiled file", () => {
    assert.equal(sourceOf("packages/core/dist/json/merge.test.js"), "packages/core/src/json/merge.test.ts");
  });
});
