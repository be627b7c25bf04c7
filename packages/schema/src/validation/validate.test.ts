import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileSchema } from "../compiled/compile-schema.ts";
import { formatProblem } from "../problem/problem.ts";
import type { Schema } from "../structural/schema.ts";

/** Returns the problems of a value of a field `x`. */
function check(schema: Schema, value: unknown, old?: unknown): string[] {
  const compiled = compileSchema({ type: "object", properties: { x: schema } });
  const options = old === undefined ? {} : { old: { x: old } };
  return compiled.validate({ x: value }, options).map(formatProblem);
}

const integer: Schema = { type: "integer" };
const text: Schema = { type: "string" };

describe("validate", () => {
  const cases: readonly (readonly [what: string, schema: Schema, value: unknown, lines: readonly string[]])[] = [
    ["a type", integer, "s", ['x: Invalid value: "string": x in body must be of type integer: "string"']],
    ["no null", integer, null, ['x: Invalid value: "null": x in body must be of type integer: "null"']],
    ["null where it may be", { ...integer, nullable: true }, null, []],
    [
      "an integer, not a fraction",
      integer,
      1.5,
      [
        'x: Invalid value: "number": x in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in x',
      ],
    ],
    ["a number, whole or not", { type: "number" }, 1, []],
    ["an object", { type: "object" }, [], ['x: Invalid value: "array": x in body must be of type object: "array"']],
    [
      "one of two types",
      { "x-kubernetes-int-or-string": true },
      1.5,
      ['x: Invalid value: "number": x in body must be of type integer,string: "number"'],
    ],
    ["an enum value", { ...text, enum: ["a", "b"] }, "x", ['x: Unsupported value: "x": supported values: "a", "b"']],
    [
      "an enum value other than null",
      { ...text, nullable: true, enum: ["a", null] },
      null,
      ['x: Unsupported value: null: supported values: "a", "null"'],
    ],
    ["at most so many characters", { ...text, maxLength: 2 }, "é😀x", ["x: Too long: may not be more than 2 bytes"]],
    ["characters, not bytes", { ...text, maxLength: 2 }, "é😀", []],
    [
      "a minimum number of characters",
      { ...text, minLength: 2 },
      "😀",
      ['x: Invalid value: "😀": x in body should be at least 2 chars long'],
    ],
    ["a pattern", { ...text, pattern: "^a$" }, "b", ["x: Invalid value: \"b\": x in body should match '^a$'"]],
    [
      "a string, and reports only its first problem",
      { ...text, maxLength: 1, pattern: "^a$" },
      "bb",
      ["x: Too long: may not be more than 1 byte"],
    ],
    ["a format", { ...text, format: "ipv4" }, "x", ['x: Invalid value: "x": x in body must be of type ipv4: "x"']],
    ["a format it knows", { ...text, format: "made-up" }, "x", []],
    ["a format of a text, or a list", { ...text, format: "ipv4" }, ["x"], []],
    [
      "a format rather than a type",
      { ...text, format: "ipv4" },
      5,
      ['x: Invalid value: "int64": x in body must be of type ipv4: "int64"'],
    ],
    [
      "at least a minimum",
      { ...integer, minimum: 1 },
      0,
      ["x: Invalid value: 0: x in body should be greater than or equal to 1"],
    ],
    [
      "more than a minimum",
      { ...integer, minimum: 1, exclusiveMinimum: true },
      1,
      ["x: Invalid value: 1: x in body should be greater than 1"],
    ],
    [
      "at most a maximum",
      { type: "number", maximum: 1_000_000 },
      1_000_000.5,
      ["x: Invalid value: 1.0000005e+06: x in body should be less than or equal to 1e+06"],
    ],
    [
      "less than a maximum",
      { ...integer, maximum: 5, exclusiveMaximum: true },
      5,
      ["x: Invalid value: 5: x in body should be less than 5"],
    ],
    ["bounds cut to integers for an integer", { type: "number", minimum: 0.5 }, 0, []],
    [
      "bounds of the type",
      { ...integer, maximum: 1.5 },
      1,
      ['<nil>: Invalid value: "": Maximum boundary value must be of type integer (default format) in x'],
    ],
    ["a multiple", { ...integer, multipleOf: 3 }, 4, ["x: Invalid value: 4: x in body should be a multiple of 3"]],
    ["a multiple, give or take", { type: "number", multipleOf: 0.1 }, 0.3, []],
    [
      "a factor of at least one for an integer",
      { type: "number", multipleOf: 0.5 },
      1,
      ["x: Invalid value: 0: factor MultipleOf declared for x must be positive: 0"],
    ],
    [
      "32 bits",
      { ...integer, format: "int32" },
      3_000_000_000,
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in x'],
    ],
    [
      "a big integer",
      { ...integer, maximum: 10 },
      9223372036854775807n,
      ["x: Invalid value: 9223372036854775807: x in body should be less than or equal to 10"],
    ],
    [
      "a maximum number of items",
      { type: "array", maxItems: 1, items: text },
      ["a", "b"],
      ["x: Too many: 2: must have at most 1 item"],
    ],
    [
      "a minimum number of items",
      { type: "array", minItems: 1, items: text },
      [],
      ["x: Invalid value: 0: x in body should have at least 1 items"],
    ],
    [
      "valid items",
      { type: "array", items: integer },
      [1, "a"],
      ['x[1]: Invalid value: "string": x[1] in body must be of type integer: "string"'],
    ],
    [
      "a maximum number of properties",
      { type: "object", maxProperties: 1, additionalProperties: integer },
      { a: 1, b: 2 },
      ["x: Too many: 2: must have at most 1 item"],
    ],
    [
      "a minimum number of properties",
      { type: "object", minProperties: 1 },
      {},
      ["x: Invalid value: 0: x in body should have at least 1 properties"],
    ],
    [
      "valid values of a map",
      { type: "object", additionalProperties: integer },
      { "a.b": "" },
      ['x.a.b: Invalid value: "string": x.a.b in body must be of type integer: "string"'],
    ],
    [
      "no other properties",
      { type: "object", additionalProperties: false },
      { a: 1 },
      ['x: Invalid value: "a": x.a in body is a forbidden property'],
    ],
    ["what is required", { type: "object", required: ["a"], properties: { a: text } }, {}, ["x.a: Required value"]],
    [
      "required properties, for which undefined counts as missing",
      { type: "object", required: ["a"], properties: { a: text } },
      { a: undefined },
      ["x.a: Required value"],
    ],
    [
      "one of several schemas",
      { ...integer, anyOf: [{ minimum: 5 }, { maximum: 1 }] },
      3,
      [
        '<nil>: Invalid value: "": "x" must validate at least one schema (anyOf)',
        "x: Invalid value: 3: x in body should be greater than or equal to 5",
      ],
    ],
    [
      "exactly one of several schemas",
      { ...integer, oneOf: [{ minimum: 1 }, { minimum: 2 }] },
      3,
      ['<nil>: Invalid value: "": "x" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    [
      "all of several schemas",
      { ...integer, allOf: [{ minimum: 5 }, { maximum: 2 }] },
      3,
      [
        "x: Invalid value: 3: x in body should be greater than or equal to 5",
        "x: Invalid value: 3: x in body should be less than or equal to 2",
        '<nil>: Invalid value: "": "x" must validate all the schemas (allOf). None validated',
      ],
    ],
    [
      "that a schema does not match",
      { ...integer, not: { minimum: 1 } },
      1,
      ['<nil>: Invalid value: "": "x" must not validate the schema (not)'],
    ],
    [
      "unique elements of a set",
      { type: "array", items: text, "x-kubernetes-list-type": "set" },
      ["a", "b", "a", "a"],
      ['x[2]: Duplicate value: "a"'],
    ],
    [
      "unique keys of a list map",
      {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["n", "p"],
        items: { type: "object", required: ["n", "p"], properties: { n: text, p: integer } },
      },
      [
        { n: "a", p: 1 },
        { n: "a", p: 2 },
        { n: "a", p: 1 },
      ],
      ['x[2]: Duplicate value: {"n":"a","p":1}'],
    ],
    [
      "a complete embedded resource",
      { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
      { kind: "A", metadata: { name: "a/b" } },
      ["x.apiVersion: Required value", "x.metadata.name: Invalid value: \"a/b\": may not contain '/'"],
    ],
  ];
  for (const [what, schema, value, lines] of cases) {
    it(`requires ${what}`, () => {
      assert.deepEqual(check(schema, value), lines);
    });
  }

  it("reports all problems at once", () => {
    const schema: Schema = {
      type: "object",
      required: ["c"],
      properties: { a: integer, b: { ...text, maxLength: 1 } },
    };

    assert.deepEqual(check(schema, { a: "x", b: "long" }), [
      'x.a: Invalid value: "string": x.a in body must be of type integer: "string"',
      "x.b: Too long: may not be more than 1 byte",
      "x.c: Required value",
    ]);
  });
});

describe("ratcheting", () => {
  const port: Schema = {
    type: "object",
    required: ["name"],
    properties: { name: { ...text, maxLength: 3 }, port: { ...integer, maximum: 10 } },
  };
  const ports: Schema = {
    type: "array",
    items: port,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
  };
  const tooLarge = (path: string, value: number): string =>
    `${path}: Invalid value: ${value}: ${path} in body should be less than or equal to 10`;

  it("ignores problems of unchanged values", () => {
    assert.deepEqual(check(port, { name: "a", port: 99 }, { name: "b", port: 99 }), []);
    assert.deepEqual(check(port, { name: "a", port: 99 }, { name: "a", port: 98 }), [tooLarge("x.port", 99)]);
  });

  it("finds the old item of a list by its keys, whatever its position", () => {
    const old = [
      { name: "a", port: 99 },
      { name: "b", port: 1 },
    ];

    assert.deepEqual(
      check(
        ports,
        [
          { name: "b", port: 2 },
          { name: "a", port: 99 },
        ],
        old,
      ),
      [],
    );
    assert.deepEqual(
      check(
        ports,
        [
          { name: "c", port: 99 },
          { name: "a", port: 99 },
        ],
        old,
      ),
      [tooLarge("x[0].port", 99)],
    );
  });

  it("compares lists without keys as a whole", () => {
    const list: Schema = { type: "array", items: { ...integer, maximum: 10 } };

    assert.deepEqual(check(list, [99, 1], [99, 1]), []);
    assert.deepEqual(check(list, [99, 2], [99, 1]), [tooLarge("x[0]", 99)]);
  });

  it("correlates the values of a map by their keys", () => {
    const map: Schema = { type: "object", additionalProperties: { ...integer, maximum: 10 } };

    assert.deepEqual(check(map, { a: 99, b: 1 }, { a: 99 }), []);
  });

  it("does not apply inside of branches", () => {
    const schema: Schema = {
      type: "object",
      properties: { a: integer, b: text },
      allOf: [{ properties: { a: { maximum: 10 } } }],
    };

    assert.deepEqual(check(schema, { a: 99, b: "new" }, { a: 99, b: "old" }), [
      tooLarge("x.a", 99),
      '<nil>: Invalid value: "": "x" must validate all the schemas (allOf). None validated',
    ]);
  });

  it("accepts duplicates that the old object already had", () => {
    const set: Schema = { type: "array", items: text, "x-kubernetes-list-type": "set" };

    assert.deepEqual(check(set, ["a", "a", "b"], ["c", "c"]), []);
    assert.deepEqual(check(set, ["a", "a", "b"], ["c"]), ['x[1]: Duplicate value: "a"']);
  });
});

describe("problems found by other checks", () => {
  it("are listed in the order of the API server, and prevent rules from running", () => {
    const compiled = compileSchema({
      type: "object",
      "x-kubernetes-validations": [{ rule: "false" }],
      properties: { x: integer },
    });
    const missing = { path: "metadata.name", type: "Required", detail: "", message: "Required value" } as const;
    const wrong = { path: ".spec.n", type: "Invalid", detail: "", message: "Invalid value: 0" } as const;

    const lines = compiled.validate({ x: 1 }, { before: [missing], after: [wrong] }).map(formatProblem);

    assert.deepEqual(lines.slice(0, 2), ["metadata.name: Required value", ".spec.n: Invalid value: 0"]);
    assert.match(lines[2] ?? "", /some validation rules were not checked/);
  });
});

describe("validateStatus", () => {
  const compiled = compileSchema({
    type: "object",
    "x-kubernetes-validations": [{ rule: "self.spec.a != self.status.b", message: "must differ" }],
    properties: {
      spec: { type: "object", properties: { a: integer } },
      status: { type: "object", properties: { b: integer, c: { type: "string", maxLength: 1 } } },
    },
  });
  const lines = (value: unknown, old: unknown): string[] => compiled.validateStatus(value, { old }).map(formatProblem);

  it("validates only the status, with names in messages relative to it", () => {
    assert.deepEqual(lines({ spec: { a: "x" }, status: { b: "y" } }, { spec: { a: "x" } }), [
      'status.b: Invalid value: "string": b in body must be of type integer: "string"',
      "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
    ]);
  });

  it("ignores problems of unchanged values, and runs the rules of the whole object", () => {
    const old = { spec: { a: 1 }, status: { b: 2, c: "long" } };

    assert.deepEqual(lines({ ...old, status: { b: 1, c: "long" } }, old), ["<nil>: Invalid value: must differ"]);
  });
});

describe("prune", () => {
  it("reports unknown fields in the order of the API server: of the metadata, of the schema, of embedded resources", () => {
    const compiled = compileSchema({
      type: "object",
      properties: {
        a: { type: "object", "x-kubernetes-embedded-resource": true, properties: { b: text } },
      },
    });

    const { dropped } = compiled.prune({
      zz: 1,
      a: { z: 1, metadata: { y: 1 } },
      metadata: { name: "n", foo: 1 },
    });

    assert.deepEqual(dropped, ["metadata.foo", "a.z", "zz", "a.metadata.y"]);
  });
});
