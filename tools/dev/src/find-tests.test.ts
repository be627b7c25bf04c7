import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findTests, sourceOf } from "./find-tests.ts";
import { listFiles, root } from "./tidy/tree.ts";

describe("findTests", () => {
  it("finds compiled tests by a part of their path", () => {
    assert.deepEqual(findTests(root, "unit", ["tools/dev/src/find-tests"]), ["tools/dev/dist/find-tests.test.js"]);
  });

  it("leaves out fixtures, which have no tests of their own", () => {
    const fixtures = listFiles().filter((path) => path.endsWith(".fixture.test.ts"));

    assert.deepEqual(
      findTests(root, "unit").filter((path) => path.includes(".fixture.")),
      [],
    );
    assert.deepEqual(
      fixtures.filter((path) => /^(?:it|test|describe)\(/m.test(readFileSync(join(root, path), "utf8"))),
      [],
    );
  });
});

describe("sourceOf", () => {
  it("returns the TypeScript source of a compiled file", () => {
    assert.equal(sourceOf("packages/core/dist/json/merge.test.js"), "packages/core/src/json/merge.test.ts");
  });
});
