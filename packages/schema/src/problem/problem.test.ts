import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  causeReason,
  duplicate,
  forbidden,
  formatProblem,
  formatShortProblem,
  internal,
  invalid,
  notSupported,
  required,
  shortMessage,
  tooLong,
  tooMany,
  typeInvalid,
  type Problem,
} from "./problem.ts";

describe("shortMessage", () => {
  it("equals the message if the values are short", () => {
    const problems = [
      required("a", "name it"),
      invalid("a", { value: 'x"y' }, "no"),
      invalid("a", { value: [1, "b"], printed: "own" }, "no"),
      notSupported("a", "x", ["y"]),
      typeInvalid("a", "x", (print) => `is ${print("x")}`),
    ];

    for (const problem of problems) {
      assert.equal(shortMessage(problem), problem.message);
      assert.equal(formatShortProblem(problem), formatProblem(problem));
    }
  });

  it("cuts values to 256 characters, in the detail as well", () => {
    const value = "\\".repeat(1_000);
    const cut = `"${"\\\\".repeat(255)}…"`;

    const problem = typeInvalid("a", value, (print) => `is ${print(value)}`);

    assert.equal(shortMessage(problem), `Invalid value: ${cut}: is ${cut}`);
    assert.equal(problem.message, `Invalid value: "${value}${value}": is "${value}${value}"`);
    assert.equal(shortMessage(invalid("a", { value: "x".repeat(256) }, "")), `Invalid value: "${"x".repeat(256)}"`);
  });

  it("does not build the message, which quotes the whole value", () => {
    let count = 0;
    const problem = invalid("a", { value: "x", printed: () => `printed ${(count += 1)}` }, "no");

    assert.equal(count, 0, "nothing has read it");
    assert.equal(shortMessage(problem), "Invalid value: printed 1: no");
    assert.deepEqual([problem.message, problem.message], Array(2).fill("Invalid value: printed 2: no"));
  });
});

describe("formatProblem", () => {
  const cases: readonly (readonly [Problem, string, string])[] = [
    [required("spec.x"), "spec.x: Required value", "FieldValueRequired"],
    [required("spec.x", "name it"), "spec.x: Required value: name it", "FieldValueRequired"],
    [invalid("", { value: null }, "no"), "<nil>: Invalid value: null: no", "FieldValueInvalid"],
    [invalid("spec", {}, "no"), "spec: Invalid value: no", "FieldValueInvalid"],
    [typeInvalid("a", "string", "no"), 'a: Invalid value: "string": no', "FieldValueTypeInvalid"],
    [forbidden("a", "no"), "a: Forbidden: no", "FieldValueForbidden"],
    [duplicate("l[1]", { value: { k: 1 } }), 'l[1]: Duplicate value: {"k":1}', "FieldValueDuplicate"],
    [
      notSupported("m", "x", ["a", "b"]),
      'm: Unsupported value: "x": supported values: "a", "b"',
      "FieldValueNotSupported",
    ],
    [notSupported("m", 1, []), "m: Unsupported value: 1", "FieldValueNotSupported"],
    [tooLong("s", 1), "s: Too long: may not be more than 1 byte", "FieldValueTooLong"],
    [tooLong("s", 10), "s: Too long: may not be more than 10 bytes", "FieldValueTooLong"],
    [tooMany("l", 3, 2), "l: Too many: 3: must have at most 2 items", "FieldValueTooMany"],
    [internal("l", "oh"), "l: Internal error: oh", "InternalError"],
  ];

  for (const [problem, line, reason] of cases) {
    it(`prints ${line}`, () => {
      assert.equal(formatProblem(problem), line);
      assert.equal(causeReason(problem), reason);
    });
  }
});
