import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { s } from "../builder/s.ts";
import { orderSchema } from "../structural/order-schema.ts";
import type { Schema, ValidationRule } from "../structural/schema.ts";
import { sampleResources } from "./sample-resources.ts";

function* nodes(schema: Schema): Generator<Schema> {
  yield schema;
  const { properties = {}, items, additionalProperties, allOf = [], anyOf = [], oneOf = [], not } = schema;
  const children = [...Object.values(properties), ...allOf, ...anyOf, ...oneOf];
  if (items !== undefined) children.push(items);
  if (not !== undefined) children.push(not);
  if (typeof additionalProperties === "object") children.push(additionalProperties);
  for (const child of children) yield* nodes(child);
}

const all = sampleResources
  .flatMap(({ versions }) => Object.values(versions))
  .flatMap(({ schema }) => [...nodes(schema)]);

describe("sampleResources", () => {
  it("has no kind, plural, singular or short name twice", () => {
    const names = sampleResources.flatMap(({ names: { kind, plural, singular, shortNames } }) => [
      ...new Set([kind.toLowerCase(), plural, singular, ...shortNames]),
    ]);

    assert.equal(new Set(names).size, names.length, names.join(" "));
    assert.ok(sampleResources.length >= 12);
  });

  it("uses every keyword that the builder writes", () => {
    const used = new Set(all.flatMap((schema) => Object.keys(schema)));
    const written = Object.keys(orderSchema({ ...s.string().schema }));
    const wanted: (keyof Schema)[] = [
      "description",
      "format",
      "nullable",
      "default",
      "enum",
      "minLength",
      "maxLength",
      "pattern",
      "minimum",
      "exclusiveMinimum",
      "maximum",
      "exclusiveMaximum",
      "multipleOf",
      "minItems",
      "maxItems",
      "minProperties",
      "maxProperties",
      "anyOf",
      "oneOf",
      "not",
      "required",
      "properties",
      "additionalProperties",
      "items",
      "x-kubernetes-list-type",
      "x-kubernetes-list-map-keys",
      "x-kubernetes-map-type",
      "x-kubernetes-int-or-string",
      "x-kubernetes-embedded-resource",
      "x-kubernetes-preserve-unknown-fields",
      "x-kubernetes-validations",
    ];

    assert.deepEqual(
      [...wanted, ...written].filter((keyword) => !used.has(keyword)),
      [],
    );
  });

  it("uses every list type, every property of a rule and every reason", () => {
    const listTypes = new Set(all.map((schema) => schema["x-kubernetes-list-type"]));
    const rules = new Set(
      all.flatMap((schema) => (schema["x-kubernetes-validations"] ?? []).flatMap((rule) => Object.keys(rule))),
    );
    const reasons = new Set(
      all.flatMap((schema) => (schema["x-kubernetes-validations"] ?? []).map(({ reason }) => reason)),
    );
    const words: (keyof ValidationRule)[] = [
      "rule",
      "message",
      "messageExpression",
      "reason",
      "fieldPath",
      "optionalOldSelf",
    ];

    assert.deepEqual(listTypes, new Set([undefined, "atomic", "map", "set"]));
    assert.deepEqual(
      words.filter((word) => !rules.has(word)),
      [],
    );
    assert.equal([...reasons].filter(Boolean).length, 4);
  });

  it("has kinds of both scopes, with and without status, scale, columns and several versions", () => {
    const some = (test: (resource: (typeof sampleResources)[number]) => boolean): void =>
      assert.ok(sampleResources.some(test));

    some(({ scope }) => scope === "Cluster");
    some(({ hasStatus, scale }) => hasStatus && scale !== undefined);
    some(({ columns, selectableFields }) => columns.length > 0 && selectableFields.length > 0);
    some(({ versions }) => Object.values(versions).some(({ deprecated }) => deprecated));
    some(({ names }) => names.shortNames.length > 0 && names.categories.length > 0);
  });
});
