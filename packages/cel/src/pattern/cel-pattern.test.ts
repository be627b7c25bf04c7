import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CelFailure } from "../failure.ts";
import { celPattern } from "./cel-pattern.ts";

describe("celPattern", () => {
  it("rejects patterns that need backtracking, with the messages of the API server", () => {
    const refused: Readonly<Record<string, string>> = {
      "(abc": "error parsing regexp: missing closing ): `(abc`",
      "(?=a)": "error parsing regexp: invalid or unsupported Perl syntax: `(?=`",
      "(a)\\1": "error parsing regexp: invalid escape sequence: `\\1`",
      "a{2000}": "error parsing regexp: invalid repeat count: `{2000}`",
      "a\\": "error parsing regexp: trailing backslash at end of expression: ``",
    };

    for (const [pattern, message] of Object.entries(refused)) {
      const compiled = celPattern(pattern);

      assert.ok(compiled instanceof CelFailure, pattern);
      assert.equal(compiled.message, message);
    }
  });

  it("matches any part of a string, and is compiled once", () => {
    const compiled = celPattern("b+");

    assert.ok(!(compiled instanceof CelFailure));
    assert.equal(compiled.test("abbc"), true);
    assert.equal(compiled.test("ac"), false);
    assert.equal(celPattern("b+"), compiled);
  });

  it("takes linear time for patterns that are exponential with backtracking", () => {
    const compiled = celPattern("^(a+)+$");
    assert.ok(!(compiled instanceof CelFailure));

    const start = process.cpuUsage();
    assert.equal(compiled.test(`${"a".repeat(5_000)}!`), false);

    assert.ok(process.cpuUsage(start).user < 1_000_000);
  });
});
