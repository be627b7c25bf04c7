import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileSchema } from "../compiled/compile-schema.ts";
import { InvalidSchemaError } from "../compiled/invalid-schema-error.ts";
import { formatProblem } from "../problem/problem.ts";
import { checkSchema } from "../schema-checks/check-schema.ts";
import type { Schema, ValidationRule } from "../structural/schema.ts";
import { normalizeFieldPath } from "./field-path.ts";
import { readSchema } from "../structural/read-schema.ts";

function withRules(schema: Schema, ...rules: ValidationRule[]): Schema {
  return { type: "object", properties: { x: { ...schema, "x-kubernetes-validations": rules } } };
}

/** Returns the problems that the rules of a field `x` report. */
function check(schema: Schema, rules: readonly ValidationRule[], value: unknown, old?: unknown): string[] {
  const compiled = compileSchema(withRules(schema, ...rules));
  return compiled.validate({ x: value }, old === undefined ? {} : { old: { x: old } }).map(formatProblem);
}

function checkDefinition(schema: Schema, ...rules: ValidationRule[]): string[] {
  return checkSchema(withRules(schema, ...rules), { path: "S" }).map((problem) =>
    formatProblem(problem).replace("S.properties[x].x-kubernetes-validations", "R"),
  );
}

const text: Schema = { type: "string", maxLength: 100 };
const integer: Schema = { type: "integer" };
const pair: Schema = { type: "object", properties: { a: integer, b: integer } };

describe("rules", () => {
  it("report a failure with the value of a scalar and without the value of an object", () => {
    assert.deepEqual(check(integer, [{ rule: "self > 3" }], 1), ["x: Invalid value: 1: failed rule: self > 3"]);
    assert.deepEqual(check(pair, [{ rule: "self.a > 3" }], { a: 1 }), ["x: Invalid value: failed rule: self.a > 3"]);
    assert.deepEqual(check(integer, [{ rule: "self > 3" }], 4), []);
  });

  it("use their message, messageExpression, reason and fieldPath", () => {
    const fails = { rule: "self.a > 3" };
    const cases: readonly (readonly [ValidationRule, string])[] = [
      [{ ...fails, message: "  a is small " }, "x: Invalid value: a is small"],
      [{ ...fails, messageExpression: "'a is ' + (self.a == 1 ? 'one' : 'many')" }, "x: Invalid value: a is one"],
      [{ ...fails, message: "plain", messageExpression: "['a'][self.a]" }, "x: Invalid value: plain"],
      [{ ...fails, message: "plain", messageExpression: "''" }, "x: Invalid value: plain"],
      [{ ...fails, message: "m", reason: "FieldValueForbidden" }, "x: Forbidden: m"],
      [{ ...fails, message: "m", reason: "FieldValueRequired" }, "x: Required value: m"],
      [{ ...fails, message: "m", reason: "FieldValueDuplicate" }, "x: Duplicate value"],
      [{ ...fails, fieldPath: ".a" }, "x.a: Invalid value: failed rule: self.a > 3"],
      [{ ...fails, fieldPath: "['a']" }, "x.a: Invalid value: failed rule: self.a > 3"],
    ];

    for (const [rule, line] of cases) assert.deepEqual(check(pair, [rule], { a: 1 }), [line]);
  });

  it("report evaluation errors", () => {
    assert.deepEqual(check(pair, [{ rule: "self.b > 3" }], { a: 1 }), [
      'x: Invalid value: "object": no such key: b evaluating rule: self.b > 3',
    ]);
    assert.deepEqual(check({ "x-kubernetes-int-or-string": true, maxLength: 9 }, [{ rule: "self > 1" }], "a"), [
      "x: Invalid value: \"\": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self > 1",
    ]);
    assert.deepEqual(check(integer, [{ rule: "1 / self > 1", message: "m" }], 0), [
      'x: Invalid value: "integer": division by zero evaluating rule: m',
    ]);
  });

  it("can access apiVersion, kind and metadata.name at the root", () => {
    const schema = compileSchema({
      type: "object",
      "x-kubernetes-validations": [
        { rule: "self.metadata.name == 'x' && self.kind == 'K' && self.apiVersion == 'a/v1'" },
      ],
    });

    assert.deepEqual(schema.validate({ apiVersion: "a/v1", kind: "K", metadata: { name: "x" } }), []);
    assert.equal(schema.validate({ apiVersion: "a/v1", kind: "K", metadata: { name: "y" } }).length, 1);
  });

  it("access fields by escaped names", () => {
    const schema: Schema = {
      type: "object",
      properties: { "a-b": integer, "c.d/e": integer, namespace: integer, f__g: integer },
    };
    const rule = "self.a__dash__b + self.c__dot__d__slash__e + self.__namespace__ + self.f__underscores__g == 10";

    assert.deepEqual(check(schema, [{ rule }], { "a-b": 1, "c.d/e": 2, namespace: 3, f__g: 4 }), []);
  });

  it("convert strings by their format", () => {
    const format = (name: string): Schema => ({ type: "string", format: name, maxLength: 50 });

    assert.deepEqual(check(format("date-time"), [{ rule: "self.getFullYear() == 2024" }], "2024-01-01T00:00:00Z"), []);
    assert.deepEqual(check(format("duration"), [{ rule: "self == duration('90m')" }], "1h30m"), []);
    assert.deepEqual(check(format("byte"), [{ rule: "self == b'ab'" }], "YWI="), []);
  });

  it("compare sets and list maps regardless of order", () => {
    const set: Schema = { type: "array", items: text, maxItems: 5, "x-kubernetes-list-type": "set" };
    const map: Schema = {
      type: "array",
      maxItems: 5,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["n"],
      items: { type: "object", required: ["n"], properties: { n: text, v: integer } },
    };
    const same: ValidationRule = { rule: "self == oldSelf" };

    assert.deepEqual(check(set, [same], ["a", "b"], ["b", "a"]), []);
    assert.deepEqual(check(map, [same], [{ n: "a", v: 1 }, { n: "b" }], [{ n: "b" }, { n: "a", v: 1 }]), []);
    assert.equal(check(map, [same], [{ n: "a", v: 1 }], [{ n: "a", v: 2 }]).length, 1);
    assert.deepEqual(check(set, [{ rule: "(self + ['a', 'c']).size() == 3" }], ["a", "b"]), []);
  });

  it("see null only from an enclosing object", () => {
    assert.deepEqual(check({ ...integer, nullable: true }, [{ rule: "false" }], null), []);
    assert.deepEqual(
      check({ type: "object", properties: { a: { ...integer, nullable: true } } }, [{ rule: "!has(self.a)" }], {
        a: null,
      }),
      [],
    );
  });

  it("do not run if the object has problems of type or size", () => {
    const lines = check(pair, [{ rule: "self.a > 3" }], { a: "x" });

    assert.equal(
      lines.at(-1),
      "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
    );
  });
});

describe("transition rules", () => {
  const grows: ValidationRule = { rule: "self >= oldSelf" };

  it("run on updates only", () => {
    assert.deepEqual(check(integer, [grows], 1), []);
    assert.deepEqual(check(integer, [grows], 1, 2), ["x: Invalid value: 1: failed rule: self >= oldSelf"]);
  });

  it("run on creation too with optionalOldSelf", () => {
    const rule: ValidationRule = { rule: "oldSelf.hasValue() || self == 0", optionalOldSelf: true };

    assert.equal(check(integer, [rule], 1).length, 1);
    assert.deepEqual(check(integer, [rule], 1, 5), []);
  });

  it("correlate items by the keys of lists and maps", () => {
    const element: Schema = { ...integer, "x-kubernetes-validations": [grows] };
    const list: Schema = {
      type: "array",
      maxItems: 9,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["n"],
      items: { type: "object", required: ["n"], properties: { n: text, v: element } },
    };
    const map: Schema = { type: "object", maxProperties: 9, additionalProperties: element };
    const schema = compileSchema({ type: "object", properties: { list, map } });

    const problems = schema.validate(
      {
        list: [
          { n: "b", v: 1 },
          { n: "a", v: 1 },
        ],
        map: { k: 1, new: 0 },
      },
      { old: { list: [{ n: "a", v: 2 }], map: { k: 2 } } },
    );

    assert.deepEqual(problems.map(formatProblem), [
      "list[1].v: Invalid value: 1: failed rule: self >= oldSelf",
      "map[k]: Invalid value: 1: failed rule: self >= oldSelf",
    ]);
  });

  it("are rejected where old and new items cannot be correlated", () => {
    const list: Schema = { type: "array", maxItems: 9, items: { ...integer, "x-kubernetes-validations": [grows] } };

    assert.deepEqual(checkSchema({ type: "object", properties: { list } }, { path: "S" }).map(formatProblem), [
      'S.properties[list].items.x-kubernetes-validations[0].rule: Invalid value: "self >= oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within S.properties[list]',
    ]);
  });

  it("apply to unchanged values, for which failures of other rules are ignored", () => {
    assert.deepEqual(check(integer, [{ rule: "self > 5" }, { rule: "oldSelf > 5" }], 1, 1), [
      "x: Invalid value: 1: failed rule: oldSelf > 5",
    ]);
  });
});

describe("definitions of rules", () => {
  it("are rejected with all problems", () => {
    assert.deepEqual(checkDefinition(integer, { rule: "  " }), ["R[0].rule: Required value: rule is not specified"]);
    assert.deepEqual(checkDefinition(integer, { rule: "true", message: " " }), [
      'R[0].message: Invalid value: " ": must be non-empty if specified',
    ]);
    assert.deepEqual(checkDefinition(integer, { rule: "true", message: "a\nb" }), [
      'R[0].message: Invalid value: "a\\nb": must not contain line breaks',
    ]);
    assert.deepEqual(checkDefinition(integer, { rule: "true\n|| false" }), [
      "R[0].message: Required value: message must be specified if rule contains line breaks",
    ]);
    assert.deepEqual(checkDefinition(integer, { rule: "true", optionalOldSelf: true }), [
      "R[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule",
    ]);
    assert.deepEqual(checkDefinition(pair, { rule: "true", fieldPath: ".c" }), [
      'R[0].fieldPath: Invalid value: ".c": must be a valid path',
    ]);
    assert.deepEqual(checkDefinition(integer, { rule: "self" }), [
      'R[0].rule: Invalid value: {"Rule":"self","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool',
    ]);
    assert.match(
      checkDefinition(integer, { rule: "self.foo" })[0] ?? "",
      /compilation failed: ERROR: <input>:1:5: type 'int' does not support field selection/,
    );
    assert.match(
      checkDefinition(integer, { rule: "true", messageExpression: "1" })[0] ?? "",
      /messageExpression must evaluate to a string$/,
    );
  });

  it("are rejected with a hint about missing limits if the estimated cost is too high", () => {
    const list: Schema = { type: "array", items: { type: "object", properties: { name: { type: "string" } } } };
    const rule = "self.all(a, self.exists_one(b, a.name == b.name))";

    const problems = checkSchema(withRules(list, { rule }), { path: "S" });

    assert.deepEqual(
      problems.map((problem) => problem.detail.replace(/ \(.*/, "")),
      [
        "estimated rule cost exceeds budget by factor of more than 100x",
        "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
        "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x",
      ],
    );
    assert.equal(problems[0]?.hint, "Set maxItems on x, maxLength on x[*].name.");
    assert.throws(
      () => compileSchema(withRules(list, { rule })),
      (error) =>
        error instanceof InvalidSchemaError && error.message.includes("Set maxItems on x, maxLength on x[*].name."),
    );
  });

  it("are accepted once the limits are set", () => {
    const list: Schema = {
      type: "array",
      maxItems: 20,
      items: { type: "object", properties: { name: { type: "string", maxLength: 63 } } },
    };

    assert.deepEqual(checkDefinition(list, { rule: "self.all(a, self.exists_one(b, a.name == b.name))" }), []);
  });
});

describe("cost limits at run time", () => {
  const rule = "self.all(a, self.all(b, self.all(c, a + b + c >= 0)))";
  const list: Schema = { type: "array", maxItems: 100, items: integer };

  it("stop one evaluation that exceeds its cost limit", () => {
    const lines = check(
      list,
      [{ rule, message: "m" }, { rule: "false" }],
      Array.from({ length: 99 }, () => 1),
    );

    assert.deepEqual(lines, [
      "x: Invalid value: \"array\": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: m",
    ]);
  });

  it("stop validation of an object whose rules exceed the total cost limit", () => {
    const lists: Schema = {
      type: "array",
      maxItems: 100,
      items: { ...list, maxItems: 60, "x-kubernetes-validations": [{ rule: "self.all(a, self.all(b, a + b >= 0))" }] },
    };
    const schema = compileSchema({ type: "object", properties: { lists } });
    const value = { lists: Array.from({ length: 100 }, () => Array.from({ length: 60 }, () => 1)) };

    const problems = schema.validate(value);

    assert.ok(problems.length <= 1);
    for (const problem of problems) assert.match(problem.detail, /running out of cost budget/);
  });
});

describe("normalizeFieldPath", () => {
  const { node } = readSchema(
    {
      type: "object",
      properties: {
        a: { type: "object", properties: { "b.c": integer, m: { type: "object", additionalProperties: text } } },
        l: { type: "array", items: text },
      },
    },
    "",
  );

  it("resolves properties and map keys", () => {
    assert.equal(normalizeFieldPath(".a", node), "a");
    assert.equal(normalizeFieldPath(".a['b.c']", node), "a.b.c");
    assert.equal(normalizeFieldPath(".a.m.k", node), "a.m[k]");
    assert.equal(normalizeFieldPath(".a.m['k\\'q']", node), "a.m[k'q]");
  });

  it("returns undefined for paths to missing fields", () => {
    for (const path of ["a", ".z", ".a.z", ".l[0]", ".a[m]", ".a['\\x']", ".", "..a", ".a.", ".a.m['k"]) {
      assert.equal(normalizeFieldPath(path, node), undefined, path);
    }
  });
});
