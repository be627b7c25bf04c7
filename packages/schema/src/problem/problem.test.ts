import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  causeReason,
  duplicate,
  forbidden,
  formatProblem,
  internal,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
  type Problem,
} from "./problem.ts";

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
