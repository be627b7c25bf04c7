import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { schemaDepthMax } from "../structural/limits.ts";
import { formatProblem } from "../problem/problem.ts";
import { checkSchema } from "./check-schema.ts";

function check(schema: unknown): string[] {
  return checkSchema(schema, { path: "S" }).map(formatProblem);
}

/** Returns the problems of a schema with the given schema of `spec`. */
function checkSpec(spec: unknown): string[] {
  return check({ type: "object", properties: { spec } }).map((line) => line.replace("S.properties[spec]", "P"));
}

const text = { type: "string" };

describe("checkSchema", () => {
  it("accepts a valid schema", () => {
    const schema = {
      type: "object",
      description: "a thing",
      required: ["spec"],
      properties: {
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: { type: "object", properties: { name: { type: "string", maxLength: 10 } } },
        spec: {
          type: "object",
          properties: {
            mode: { type: "string", enum: ["a", "b"], default: "a" },
            port: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
            any: { "x-kubernetes-preserve-unknown-fields": true },
            labels: { type: "object", additionalProperties: { type: "string" } },
            set: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
          },
          anyOf: [{ required: ["mode"] }, { properties: { mode: { pattern: "^a" } } }],
        },
      },
    };

    assert.deepEqual(check(schema), []);
  });

  const cases: readonly (readonly [what: string, spec: unknown, lines: readonly string[]])[] = [
    [
      "a type",
      { properties: { a: {} } },
      [
        "P.properties[a].type: Required value: must not be empty for specified object fields",
        "P.type: Required value: must not be empty for specified object fields",
      ],
    ],
    ["items", { type: "array" }, ["P.items: Required value: must be specified"]],
    [
      "a type of items",
      { type: "array", items: {} },
      ["P.items.type: Required value: must not be empty for specified array items"],
    ],
    [
      "a known type",
      { type: "null" },
      [
        'P.type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"',
        "P.type: Forbidden: type cannot be set to null, use nullable as an alternative",
      ],
    ],
    [
      "structure outside of branches",
      { ...text, anyOf: [{ type: "string", description: "x", default: "y", nullable: true }] },
      [
        "P.anyOf[0].default: Forbidden: must be undefined to be structural",
        "P.anyOf[0].description: Forbidden: must be empty to be structural",
        "P.anyOf[0].nullable: Forbidden: must be false to be structural",
        "P.anyOf[0].type: Forbidden: must be empty to be structural",
      ],
    ],
    [
      "no metadata in branches",
      { type: "object", not: { properties: { metadata: {} } } },
      ["P.not.properties[metadata]: Forbidden: must not be specified in a nested context"],
    ],
    [
      "valid RE2 patterns",
      { ...text, pattern: "(?=a)", not: { pattern: "(" } },
      [
        'P.not.pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
        'P.pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
      ],
    ],
    [
      "properties or additionalProperties",
      { type: "object", properties: { a: text }, additionalProperties: text },
      ["P.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"],
    ],
    [
      "no uniqueItems",
      { type: "array", items: text, uniqueItems: true },
      ["P.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic"],
    ],
    ["no references", { ...text, $ref: "#/definitions/x" }, ["P.$ref: Forbidden: $ref is not supported"]],
    [
      "a single schema of items",
      { type: "array", items: [text] },
      ["P.items: Forbidden: items must be a schema object and not an array"],
    ],
    [
      "x-kubernetes-preserve-unknown-fields to be true or absent",
      { type: "object", "x-kubernetes-preserve-unknown-fields": false },
      ["P.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined"],
    ],
    [
      "no other extension on an int-or-string",
      { "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true },
      [
        "P.x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true",
      ],
    ],
    [
      "fields of an embedded resource",
      { type: "object", "x-kubernetes-embedded-resource": true },
      [
        "P.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      ],
    ],
    [
      "a default of the right type",
      { ...text, default: 5 },
      ['P.default: Invalid value: "integer":  in body must be of type string: "integer"'],
    ],
    [
      "a default without unknown fields",
      { type: "object", properties: { a: { type: "integer" } }, default: { a: "x", b: 1 } },
      [
        'P.default: Invalid value: {"a":"x","b":1}: must not have unknown fields',
        'P.default.a: Invalid value: "string": a in body must be of type integer: "string"',
      ],
    ],
    [
      "a default that rules accept",
      { type: "integer", default: 1, "x-kubernetes-validations": [{ rule: "self > 5" }] },
      ["P.default: Invalid value: 1: failed rule: self > 5"],
    ],
    [
      "a known map type",
      { ...text, "x-kubernetes-map-type": "x" },
      [
        'P.type: Invalid value: "string": must be object if x-kubernetes-map-type is specified',
        'P.x-kubernetes-map-type: Unsupported value: "x": supported values: "atomic", "granular"',
      ],
    ],
    [
      "a known list type",
      { ...text, "x-kubernetes-list-type": "x" },
      [
        'P.type: Invalid value: "string": must be array if x-kubernetes-list-type is specified',
        'P.x-kubernetes-list-type: Unsupported value: "x": supported values: "atomic", "set", "map"',
      ],
    ],
    [
      "atomic items of sets",
      { type: "array", "x-kubernetes-list-type": "set", items: { type: "object", nullable: true } },
      [
        "P.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set",
        "P.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set",
      ],
    ],
    [
      "keys for a list map",
      { type: "array", "x-kubernetes-list-type": "map", items: { type: "object" } },
      ["P.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map"],
    ],
    [
      "list type map for keys",
      { type: "array", "x-kubernetes-list-map-keys": ["a"], items: { type: "object" } },
      ["P.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty"],
    ],
    [
      "keys that are declared, scalar, not nullable and unique",
      {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["a", "a", "b", "c"],
        items: {
          type: "object",
          required: ["b"],
          properties: { a: { type: "string", nullable: true }, b: { type: "object" } },
        },
      },
      [
        'P.x-kubernetes-list-map-keys: Invalid value: ["a","a","b","c"]: must not contain duplicate entries',
        'P.items.properties[b].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
        'P.x-kubernetes-list-map-keys: Invalid value: ["a","a","b","c"]: entries must all be names of item properties',
        "P.items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
        "P.items.properties[a].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
        "P.items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
        "P.items.properties[a].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
      ],
    ],
  ];
  for (const [what, spec, lines] of cases) {
    it(`requires ${what}`, () => {
      assert.deepEqual(checkSpec(spec), lines);
    });
  }

  it("applies additional rules to the root", () => {
    assert.deepEqual(check({ type: "array", items: text }), [
      'S.type: Invalid value: "array": must be object at the root',
    ]);
    assert.deepEqual(check({ type: "object", nullable: true }), [
      "S.nullable: Forbidden: nullable cannot be true at the root",
    ]);
    assert.deepEqual(check({ type: "object", additionalProperties: text }), [
      "S.additionalProperties: Forbidden: must not be used at the root",
    ]);
    assert.deepEqual(check({ type: "object", properties: { metadata: { type: "object", description: "x" } } }), [
      "S.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ]);
    assert.deepEqual(check({ type: "object", properties: { kind: { type: "integer" } } }), [
      'S.properties[kind].type: Invalid value: "integer": must be string',
    ]);
    assert.deepEqual(
      check({
        type: "object",
        properties: { metadata: { type: "object", properties: { name: { type: "string", default: "x" } } } },
      }),
      ["S.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata"],
    );
    assert.deepEqual(check({ type: "object", anyOf: [{ properties: { a: {} } }] }), [
      "S.properties[a]: Required value: because it is defined in S.anyOf[0].properties[a]",
    ]);
  });

  it("forbids some keywords at the root of a version with a status subresource", () => {
    const lines = (schema: object): string[] => checkSchema(schema, { path: "S", hasStatus: true }).map(formatProblem);

    assert.deepEqual(lines({ type: "object", description: "x", required: ["a"] }), []);
    assert.deepEqual(lines({ type: "object", maxProperties: 5, not: {} }), [
      "S: Invalid value: maxProperties, not cannot be used at the root of the schema if the status subresource is enabled",
    ]);
  });

  it("reports the path of keywords with a value of the wrong type", () => {
    assert.deepEqual(check(5), ["S: Invalid value: 5: must be an object"]);
    assert.deepEqual(check(null), ["S: Invalid value: null: must be an object"]);
    assert.deepEqual(
      check({
        type: 1,
        required: ["a", 2],
        properties: { a: { maxLength: 1.5, default: { x: undefined } } },
        allOf: {},
      }),
      [
        "S.type: Invalid value: 1: must be a string",
        "S.properties[a].default: Invalid value: must be a JSON value",
        "S.properties[a].maxLength: Invalid value: 1.5: must be an integer",
        "S.required[1]: Invalid value: 2: must be a string",
        'S.allOf: Invalid value: "object": must be a list',
      ],
    );
  });

  it("rejects schemas that are too deep or too large", () => {
    let deep: object = { type: "object" };
    for (let level = 0; level < schemaDepthMax + 1; level++) deep = { type: "object", properties: { a: deep } };
    const circular: { type: string; properties: { [name: string]: unknown } } = { type: "object", properties: {} };
    Object.assign(circular.properties, { a: circular, b: circular });
    let doubling: object = { minLength: 1 };
    for (let level = 0; level < 40; level++) doubling = { anyOf: [doubling, { not: doubling }] };

    assert.ok(check(deep).some((line) => line.endsWith(`must not be nested deeper than ${schemaDepthMax} levels`)));
    assert.ok(check(circular).some((line) => line.endsWith(`must not be nested deeper than ${schemaDepthMax} levels`)));
    assert.ok(checkSpec(doubling).some((line) => line.endsWith("must not have more than 100000 nodes")));
  });

  it("ignores unknown keywords and properties of the prototype", () => {
    assert.deepEqual(check({ type: "object", "x-made-up": 1, examples: [] }), []);
    assert.deepEqual(check(Object.create({ type: 5 }, { type: { value: "object", enumerable: true } })), []);
  });
});
