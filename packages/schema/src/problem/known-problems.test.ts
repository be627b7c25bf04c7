import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isKnownProblem } from "./known-problems.ts";
import { invalid, required } from "./problem.ts";

describe("isKnownProblem", () => {
  const long = "x".repeat(300);
  const isKnown = isKnownProblem([
    required("spec.a"),
    invalid("spec.b", { value: long }, "is long"),
    invalid("spec.b", { value: `${long}1` }, "is long"),
  ]);

  it("finds a problem with the same path, message and value", () => {
    assert.equal(isKnown(required("spec.a")), true);
    assert.equal(isKnown(invalid("spec.b", { value: long }, "is long")), true);
    assert.equal(isKnown(invalid("spec.b", { value: `${long}1` }, "is long")), true);
  });

  it("distinguishes paths, details, and values that differ only after the shown beginning", () => {
    assert.equal(isKnown(required("spec.c")), false);
    assert.equal(isKnown(invalid("spec.b", { value: long }, "is wrong")), false);
    assert.equal(isKnown(invalid("spec.b", { value: `${long}2` }, "is long")), false);
  });
});
