import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cpuMs } from "@homeostat/fuzz/cpu-time";
import { createEnvironment } from "../environment.ts";
import { CelCompileError, CelEvaluationError } from "../errors.ts";
import { stringType } from "../types/type.ts";
import { elementsOf } from "../values/collections.ts";
import { CelList } from "../values/value.ts";
import { regexLibrary } from "./regexes.ts";

const environment = createEnvironment({ libraries: [regexLibrary], variables: { pattern: stringType } });

function findAll(expression: string): unknown[] {
  const value = environment.compile(expression).evaluate({ pattern: "" });
  assert.ok(value instanceof CelList);
  return elementsOf(value);
}

describe("the library of regular expressions", () => {
  it("finds the first match, or nothing", () => {
    assert.equal(environment.compile("'abc 123'.find('[0-9]+')").evaluate({}), "123");
    assert.equal(environment.compile("'abc'.find('[0-9]+')").evaluate({}), "");
  });

  it("finds all matches from left to right, up to a limit", () => {
    assert.deepEqual(findAll("'12 ab 34'.findAll('[0-9]+')"), ["12", "34"]);
    assert.deepEqual(findAll("'12 ab 34'.findAll('[0-9]+', 1)"), ["12"]);
    assert.deepEqual(findAll("'12 ab 34'.findAll('[0-9]+', 0)"), []);
    assert.deepEqual(findAll("'12 ab 34'.findAll('[0-9]+', -5)"), ["12", "34"]);
  });

  it("skips an empty match right after another, and does not split characters", () => {
    assert.deepEqual(findAll("'aab'.findAll('a*')"), ["aa", ""]);
    assert.deepEqual(findAll("'😀x'.findAll('')"), ["", "", ""]);
    assert.deepEqual(findAll("'😀x'.findAll('.')"), ["😀", "x"]);
  });

  it("rejects an invalid literal pattern at compile time, others at run time", () => {
    assert.throws(() => environment.compile("'a'.find('(')"), CelCompileError);
    assert.throws(
      () => environment.compile("'a'.find(pattern)").evaluate({ pattern: "(" }),
      new CelEvaluationError("Illegal regex: error parsing regexp: missing closing ): `(`"),
    );
  });

  it("takes linear time for any pattern", () => {
    let found: unknown;

    const ms = cpuMs(() => {
      found = environment.compile("pattern.find('(a*)*b')").evaluate({ pattern: "a".repeat(50_000) });
    });

    assert.equal(found, "");
    assert.ok(ms < 2_000, `${ms} ms`);
  });
});
