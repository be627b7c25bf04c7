import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import {
  isLong,
  isWaiting,
  longestFirst,
  longTestCount,
  readBudgets,
  readQuietFiles,
  waitingTestCount,
} from "./budgets.ts";
import { findTests, sourceOf } from "./find-tests.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

describe("e2e/budgets.json", () => {
  it("has a budget for every test file of e2e, and for no other", () => {
    const files = findTests(root, "e2e").map((file) => file.replace("/dist/", "/src/").replace(/\.js$/, ".ts"));

    assert.deepEqual(Object.keys(readBudgets(root)).toSorted(), files.toSorted());
  });

  it("lists only test files as quiet", () => {
    const budgets = readBudgets(root);

    assert.deepEqual(
      [...readQuietFiles(root)].filter((file) => budgets[file] === undefined),
      [],
    );
  });
});

describe("isWaiting", () => {
  it("knows the integration tests that mostly wait only by paths that exist", () => {
    assert.equal(findTests(root, "integration").map(sourceOf).filter(isWaiting).length, waitingTestCount);
  });
});

describe("longestFirst", () => {
  it("knows the long unit and integration tests only by paths that exist", () => {
    const sources = longestFirst([...findTests(root, "unit"), ...findTests(root, "integration")], {}).map(sourceOf);

    assert.equal(sources[0], "operators/chronik/src/reconcile/crash.integration.test.ts");
    assert.equal(sources.filter(isLong).length, longTestCount);
    assert.deepEqual(sources.filter(isLong), sources.slice(0, longTestCount));
  });

  it("puts long files before short ones, and files without a budget last", () => {
    const budgets = { "e2e/src/a.test.ts": 10, "e2e/src/b.test.ts": 90 };

    const sorted = longestFirst(["e2e/dist/a.test.js", "e2e/dist/new.test.js", "e2e/dist/b.test.js"], budgets);

    assert.deepEqual(sorted, ["e2e/dist/b.test.js", "e2e/dist/a.test.js", "e2e/dist/new.test.js"]);
  });
});
