import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defineResource } from "../resource/define-resource.ts";
import { s } from "./s.ts";

describe("the field builder", () => {
  it("generates scalars with their limits", () => {
    assert.deepEqual(s.string().min(1).max(63).pattern("^[a-z]+$").schema, {
      type: "string",
      minLength: 1,
      maxLength: 63,
      pattern: "^[a-z]+$",
    });
    assert.deepEqual(s.string().format("uri").schema, { type: "string", format: "uri" });
    assert.deepEqual(s.enum("a", "b").schema, { type: "string", enum: ["a", "b"] });
    assert.deepEqual(s.int().min(0).max(9).schema, { type: "integer", format: "int32", minimum: 0, maximum: 9 });
    assert.deepEqual(s.int64().schema, { type: "integer", format: "int64" });
    assert.deepEqual(s.number().above(0).below(1).multipleOf(0.25).schema, {
      type: "number",
      minimum: 0,
      exclusiveMinimum: true,
      maximum: 1,
      exclusiveMaximum: true,
      multipleOf: 0.25,
    });
    assert.deepEqual(s.int().enum(1, 2).schema, { type: "integer", format: "int32", enum: [1, 2] });
    assert.deepEqual(s.bool().default(true).schema, { type: "boolean", default: true });
  });

  it("generates quantities like controller-gen", () => {
    const { schema } = s.quantity();

    assert.deepEqual(schema.anyOf, [{ type: "integer" }, { type: "string" }]);
    assert.equal(schema["x-kubernetes-int-or-string"], true);
    const pattern = new RegExp(schema.pattern ?? "");
    for (const good of ["1", "500m", "2Gi", "1.5", ".5", "1e3", "-1", "+1", "1E2"]) assert.match(good, pattern);
    for (const bad of ["", "1x", "Gi", "1 Gi", "1GiB"]) assert.doesNotMatch(bad, pattern);
    assert.equal(s.quantityText().schema.pattern, schema.pattern);
  });

  it("names all lists without a list type, and what to add to them", () => {
    const base = { group: "a.example", version: "v1", kind: "Site" } as const;

    assert.throws(
      // @ts-expect-error a program without types can do this
      () => defineResource({ ...base, spec: { tags: s.list(s.string()), ports: s.list(s.int()) } }),
      {
        code: "DEFINITION",
        message: /tags: Required value: add \.set\(\), \.atomic\(\) or \.mapBy\("name"\)[^]*ports: Required value/,
      },
    );
    for (const use of [
      // @ts-expect-error a list without a type is no item
      () => s.list(s.list(s.string())),
      // @ts-expect-error nor a value of a map
      () => s.map(s.list(s.string())),
      // @ts-expect-error and has no methods of a field
      () => s.list(s.string()).optional(),
      // @ts-expect-error the spec is an object
      () => defineResource({ ...base, spec: s.list(s.string()) }),
    ]) {
      assert.throws(use, { code: "DEFINITION", message: /add \.set\(\), \.atomic\(\) or \.mapBy\("name"\)/ });
    }
  });

  it("rejects a value that is not a field, with its name", () => {
    // @ts-expect-error a program without types can do this
    assert.throws(() => s.object({ replicas: 3, image: s.string() }), {
      code: "DEFINITION",
      message: /replicas: Invalid value: must be a field created by the builder, such as s\.string\(\)/,
    });
  });

  it("accepts durations in the form of Go", () => {
    const pattern = new RegExp(s.duration().schema.pattern ?? "");

    for (const good of ["0", "1h30m", "1.5h", "250ms", "1us", "1µs", "-5m", ".5s", "1.s"]) assert.match(good, pattern);
    for (const bad of ["", "1", "1d", "1 h", "h", "1h 30m", "P1D", "."]) assert.doesNotMatch(bad, pattern);
  });

  it("generates rules for the bounds of a duration", () => {
    const rules = s.duration().min("5m").max("24h").schema["x-kubernetes-validations"];

    assert.deepEqual(rules, [
      { rule: 'duration(self) >= duration("5m")', message: "must be at least 5m" },
      { rule: 'duration(self) <= duration("24h")', message: "must be at most 24h" },
    ]);
    assert.throws(() => s.duration().min("5 minutes"), { code: "DEFINITION" });
  });

  it("requires six fractional digits in a micro time", () => {
    const pattern = new RegExp(s.microTime().schema.pattern ?? "");

    assert.match("2026-01-31T12:00:00.000001Z", pattern);
    assert.match("2026-01-31T12:00:00.000001+01:00", pattern);
    assert.doesNotMatch("2026-01-31T12:00:00.001Z", pattern);
    assert.doesNotMatch("2026-01-31T12:00:00Z", pattern);
  });

  it("lists the fields of an object and which of them are required", () => {
    const { schema } = s.object({ a: s.string(), b: s.int().optional(), c: s.bool().default(false) });

    assert.deepEqual(schema, {
      type: "object",
      properties: {
        a: { type: "string" },
        b: { type: "integer", format: "int32" },
        c: { type: "boolean", default: false },
      },
      required: ["a"],
    });
  });

  it("generates list types and keys", () => {
    const item = s.object({ name: s.string() });

    assert.deepEqual(s.list(item).mapBy("name").max(5).schema, {
      type: "array",
      items: item.schema,
      maxItems: 5,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    });
    assert.equal(s.list(s.string()).set().schema["x-kubernetes-list-type"], "set");
    assert.equal(s.list(s.string()).atomic().min(1).schema["x-kubernetes-list-type"], "atomic");
  });

  it("generates maps, opaque objects, embedded resources and plain JSON", () => {
    assert.deepEqual(s.map(s.string().max(5)).min(1).max(9).atomic().schema, {
      type: "object",
      additionalProperties: { type: "string", maxLength: 5 },
      minProperties: 1,
      maxProperties: 9,
      "x-kubernetes-map-type": "atomic",
    });
    assert.deepEqual(s.opaque().schema, { type: "object", "x-kubernetes-preserve-unknown-fields": true });
    assert.deepEqual(s.json().schema, { "x-kubernetes-preserve-unknown-fields": true });
    assert.deepEqual(s.embeddedResource().schema, {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    });
    assert.equal(s.object({}).atomic().schema["x-kubernetes-map-type"], "atomic");
    assert.equal(s.object({}).preserveUnknown().schema["x-kubernetes-preserve-unknown-fields"], true);
  });

  it("generates rules for unions", () => {
    const { schema } = s
      .object({ value: s.string().optional(), "from-secret": s.string().optional() })
      .exactlyOneOf("value", "from-secret");

    assert.deepEqual(schema["x-kubernetes-validations"], [
      {
        rule: "[has(self.value), has(self.from__dash__secret)].filter(given, given).size() == 1",
        message: "exactly one of value, from-secret must be set",
      },
    ]);
  });

  it("adds fields to an object and rejects a duplicate name", () => {
    const base = s.object({ a: s.string() });

    assert.deepEqual(base.extend({ b: s.string() }).schema.required, ["a", "b"]);
    assert.throws(() => base.extend({ a: s.int() }), /a: .*already has a field of this name/);
  });

  it("does not modify existing fields", () => {
    const name = s.string().max(63);
    const before = structuredClone(name.schema);

    name.optional().default("x").describe("y").nullable().immutable().rule({ rule: "self != ''" });

    assert.deepEqual(name.schema, before);
    assert.equal(name.presence, "required");
  });

  it("rejects a default that is not JSON", () => {
    const notJson = Number("x");

    assert.throws(() => s.number().default(notJson), { code: "DEFINITION" });
  });

  it("copies the default", () => {
    const tags = ["a"];
    const field = s.list(s.string()).set().default(tags);

    tags.push("b");

    assert.deepEqual(field.schema.default, ["a"]);
  });

  it("handles a field named __proto__ like any other", () => {
    const fields = Object.fromEntries([["__proto__", s.string()]]);

    const { schema } = s.object(fields);

    assert.deepEqual(Object.keys(schema.properties ?? {}), ["__proto__"]);
    assert.deepEqual(schema.required, ["__proto__"]);
  });
});
