import { safeSet } from "@homeostat/core";
import type { Dice } from "./random-source.ts";
import { randomJson } from "./random-schemas.ts";

const keywords = [
  "type",
  "format",
  "title",
  "description",
  "default",
  "example",
  "nullable",
  "properties",
  "required",
  "additionalProperties",
  "minProperties",
  "maxProperties",
  "items",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minLength",
  "maxLength",
  "pattern",
  "enum",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "multipleOf",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "id",
  "$ref",
  "$schema",
  "definitions",
  "dependencies",
  "patternProperties",
  "additionalItems",
  "externalDocs",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-validations",
  "__proto__",
  "constructor",
  "toString",
] as const;
const values: readonly [unknown, ...unknown[]] = [
  "object",
  "array",
  "string",
  "integer",
  "null",
  "",
  "map",
  "set",
  "a",
  "(",
  "(?=a)",
  true,
  false,
  null,
  0,
  -1,
  1.5,
  1e300,
  NaN,
  Infinity,
  undefined,
  [],
  {},
  ["a"],
  ["a", "a"],
  [{}],
  [{ type: "string" }],
  { type: "object" },
  { a: { type: "string" } },
  JSON.parse('{"__proto__": {"type": "string"}}') as unknown,
  { metadata: { type: "object" } },
  { properties: { a: {} } },
  [{ rule: "self == oldSelf" }],
  [{ rule: "self.all(x, x)" }],
  [{ rule: "" }],
  [{ rule: 5 }],
  ["rule"],
  Symbol.iterator,
  () => 1,
  10n,
];

/** Returns a value that is most likely not a schema: random keywords with valid and invalid values. */
export function junkSchema(dice: Dice, depth = 0): unknown {
  if (dice.chance(10)) return dice.chance(50) ? dice.pick(values) : randomJson(dice);
  const schema: { [key: string]: unknown } = dice.chance(60) ? { type: "object" } : {};
  for (let count = dice.below(5); count > 0; count--) {
    const value = depth < 3 && dice.chance(40) ? nested(dice, depth) : dice.pick(values);
    safeSet(schema, dice.pick(keywords), value);
  }
  return schema;
}

function nested(dice: Dice, depth: number): unknown {
  const inner = junkSchema(dice, depth + 1);
  return dice.pick<unknown>([inner, [inner], { a: inner }, { metadata: inner, b: inner }]);
}

/** Returns a copy of a schema in which some keywords, at any depth, are dropped or have junk values. */
export function spoiled(dice: Dice, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((element) => spoiled(dice, element));
  if (typeof schema !== "object" || schema === null) return dice.chance(3) ? dice.pick(values) : schema;
  const copy: { [key: string]: unknown } = {};
  for (const [key, value] of Object.entries(schema)) if (!dice.chance(3)) copy[key] = spoiled(dice, value);
  if (dice.chance(5)) safeSet(copy, dice.pick(keywords), dice.pick(values));
  return copy;
}
