import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Outcome } from "./run-files.ts";
import { filesToRunAgain, joined, testsOf } from "./second-run.ts";

function outcome(passed: Record<string, number>, failures: readonly [file: string, name: string][] = []): Outcome {
  return {
    passed: new Map(Object.entries(passed)),
    failures: failures.map(([file, name]) => ({ file, name, cause: "because" })),
    skips: [],
    printed: new Map(),
    times: new Map(),
  };
}

describe("filesToRunAgain", () => {
  it("returns each file with a failure once", () => {
    const first = outcome({}, [
      ["a", "one"],
      ["a", "two"],
      ["b", "three"],
    ]);

    assert.deepEqual(filesToRunAgain(first), ["a", "b"]);
  });

  it("returns none when nothing failed, many files failed, or the file is not known", () => {
    const many = ["a", "b", "c", "d"].map((file): [string, string] => [file, "one"]);

    assert.deepEqual(filesToRunAgain(outcome({ a: 1 })), []);
    assert.deepEqual(filesToRunAgain(outcome({}, many)), []);
    assert.deepEqual(filesToRunAgain(outcome({}, [["", "one"]])), []);
  });
});

describe("testsOf", () => {
  it("returns a test file itself, or the folder of a shared helper", () => {
    assert.equal(testsOf("e2e/src/a/b.test.ts"), "e2e/src/a/b.test.ts");
    assert.equal(testsOf("e2e/src/a/play.ts"), "e2e/src/a/");
  });
});

describe("joined", () => {
  it("uses the second run of a file that ran twice and reports what failed only at first", () => {
    const first = outcome({ a: 4, b: 7 }, [["a", "one"]]);

    const { passed, failures, lucky } = joined(first, outcome({ a: 5 }), ["a"]);

    assert.deepEqual(Object.fromEntries(passed), { a: 5, b: 7 });
    assert.deepEqual(failures, []);
    assert.deepEqual(
      lucky.map(({ name }) => name),
      ["one"],
    );
  });

  it("keeps the failures of a file if fewer of its tests ran the second time", () => {
    const first = outcome({ a: 4 }, [["a", "one"]]);

    const { failures, lucky } = joined(first, outcome({ a: 2 }), ["a"]);

    assert.deepEqual(
      failures.map(({ name }) => name),
      ["one"],
    );
    assert.deepEqual(lucky, []);
  });

  it("does not report a failure of the whole file if a test of it fails the second time", () => {
    const first = outcome({ a: 1 }, [["a", "a"]]);

    const { failures, lucky } = joined(first, outcome({ a: 1 }, [["a", "one"]]), ["a"]);

    assert.deepEqual(
      failures.map(({ name }) => name),
      ["one"],
    );
    assert.deepEqual(lucky, []);
  });

  it("keeps repeated and new failures", () => {
    const first = outcome({ a: 3 }, [
      ["a", "one"],
      ["a", "two"],
    ]);
    const second = outcome({ a: 3 }, [
      ["a", "one"],
      ["a", "three"],
    ]);

    const { failures, lucky } = joined(first, second, ["a"]);

    assert.deepEqual(
      failures.map(({ name }) => name),
      ["one", "three"],
    );
    assert.deepEqual(
      lucky.map(({ name }) => name),
      ["two"],
    );
  });
});
