// Random structural schemas with all keywords that affect merging, and random values for them.

import type { Random } from "@homeostat/core";
import type { Schema } from "@homeostat/schema";

type Draft = { -readonly [K in keyof Schema]: Schema[K] };

const names = ["a", "b", "c", "d"];

/** Schema of a custom resource with spec and status. */
export function randomSchema(random: Random): Schema {
  return {
    type: "object",
    properties: { spec: struct(random, 3), status: struct(random, 2) },
  };
}

function chance(random: Random, likelihood: number): boolean {
  return random.next() < likelihood;
}

function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[random.int(items.length)];
  if (item === undefined) throw new Error("cannot pick from an empty list");
  return item;
}

function struct(random: Random, depth: number): Schema {
  const properties: Record<string, Schema> = {};
  for (const name of names) if (chance(random, 0.85)) properties[name] = field(random, depth);
  const schema: Draft = { type: "object", properties };
  if (chance(random, 0.12)) schema["x-kubernetes-map-type"] = "atomic";
  if (chance(random, 0.12)) schema["x-kubernetes-preserve-unknown-fields"] = true;
  return schema;
}

function field(random: Random, depth: number): Schema {
  const schema: Draft = depth === 0 ? scalar(random) : pick(random, makers)(random, depth - 1);
  if (chance(random, 0.1)) schema.nullable = true;
  return schema;
}

const makers: readonly ((random: Random, depth: number) => Draft)[] = [
  scalar,
  struct,
  struct,
  mapOf,
  listOf,
  setOf,
  setOf,
  mapList,
  mapList,
  mapList,
  open,
];

function scalar(random: Random): Draft {
  const schema: Draft = pick<() => Draft>(random, [
    () => ({ type: "string" }),
    () => ({ type: "integer" }),
    () => ({ type: "boolean" }),
    () => ({ type: "number" }),
    () => ({ "x-kubernetes-int-or-string": true }),
    () => ({ type: "string", format: "date-time" }),
  ])();
  if (schema.type === "string" && schema.format === undefined && chance(random, 0.15)) schema.default = "b";
  if (schema.type === "integer" && chance(random, 0.15)) schema.default = 2;
  return schema;
}

function mapOf(random: Random, depth: number): Draft {
  const schema: Draft = { type: "object", additionalProperties: field(random, depth) };
  if (chance(random, 0.3)) schema["x-kubernetes-map-type"] = pick(random, ["atomic", "granular"]);
  return schema;
}

function listOf(random: Random, depth: number): Draft {
  const schema: Draft = { type: "array", items: withoutNull(field(random, depth)) };
  if (chance(random, 0.5)) schema["x-kubernetes-list-type"] = "atomic";
  return schema;
}

function setOf(random: Random): Draft {
  return { type: "array", "x-kubernetes-list-type": "set", items: { type: pick(random, ["string", "integer"]) } };
}

function mapList(random: Random, depth: number): Draft {
  const keys = pick(random, [["k"], ["k"], ["k", "p"], ["p"]]);
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  for (const key of keys) {
    const isNumber = key === "p";
    const hasDefault = chance(random, 0.4);
    properties[key] = { type: isNumber ? "integer" : "string", ...(hasDefault ? { default: isNumber ? 1 : "b" } : {}) };
    if (!hasDefault) required.push(key);
  }
  for (const name of names) if (chance(random, 0.5)) properties[name] = field(random, depth);
  const items: Draft = { type: "object", properties, ...(required.length === 0 ? {} : { required }) };
  if (chance(random, 0.1)) items["x-kubernetes-map-type"] = "atomic";
  if (chance(random, 0.1)) items["x-kubernetes-preserve-unknown-fields"] = true;
  return { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, items };
}

function open(random: Random): Draft {
  return pick<() => Draft>(random, [
    () => ({ type: "object", "x-kubernetes-preserve-unknown-fields": true }),
    () => ({ "x-kubernetes-preserve-unknown-fields": true }),
    () => ({ type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true }),
  ])();
}

function withoutNull(schema: Schema): Schema {
  const { nullable: _, ...rest } = schema;
  return rest;
}

/** Returns the schema with some lists and maps made atomic, or some atomic maps made granular. */
export function variantOf({ properties = {}, ...root }: Schema, random: Random): Schema {
  // The root must stay granular.
  return { ...root, properties: variantsOf(properties, random) };
}

function variantsOf(properties: NonNullable<Schema["properties"]>, random: Random): NonNullable<Schema["properties"]> {
  return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, variant(part, random)]));
}

function variant(schema: Schema, random: Random): Schema {
  const made: Draft = { ...schema };
  if (schema["x-kubernetes-list-type"] !== undefined && chance(random, 0.3)) {
    made["x-kubernetes-list-type"] = "atomic";
    delete made["x-kubernetes-list-map-keys"];
  }
  if (schema.type === "object" && chance(random, 0.2)) {
    if (schema["x-kubernetes-map-type"] === "atomic") delete made["x-kubernetes-map-type"];
    else made["x-kubernetes-map-type"] = "atomic";
  }
  if (schema.items !== undefined) made.items = variant(schema.items, random);
  if (typeof schema.additionalProperties === "object") {
    made.additionalProperties = variant(schema.additionalProperties, random);
  }
  if (schema.properties !== undefined) made.properties = variantsOf(schema.properties, random);
  return made;
}

/** Probabilities of random values. */
export interface Probabilities {
  /** Probability that a field is present. */
  readonly present: number;
  /** Probability that a value is invalid. */
  readonly mistake: number;
}

/** Returns a random value for a schema, sometimes invalid. */
export function randomValue(schema: Schema, random: Random, probabilities: Probabilities): unknown {
  if (schema.nullable === true && chance(random, 0.25)) return null;
  if (chance(random, probabilities.mistake))
    return pick<unknown>(random, ["x", 5, true, ["x"], { z: 1 }, null, {}, []]);
  if (schema["x-kubernetes-int-or-string"] === true) return pick<unknown>(random, [1, 2, "1", "x"]);
  switch (schema.type) {
    case "string":
      return schema.format === undefined ? pick(random, ["a", "b", "c"]) : pick(random, times);
    case "integer":
      return pick(random, [1, 2, 3, 1_000_000]);
    case "number":
      return pick(random, [1, 1.5, 2.25]);
    case "boolean":
      return chance(random, 0.5);
    case "array":
      return list(schema, random, probabilities);
    case "object":
      return schema["x-kubernetes-embedded-resource"] === true
        ? embedded(random)
        : record(schema, random, probabilities);
    default:
      return anything(random, 2);
  }
}

const times = ["2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"];

function record(schema: Schema, random: Random, probabilities: Probabilities): unknown {
  if (schema.properties === undefined && schema.additionalProperties === undefined) return freeRecord(random, 2);
  const value: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (chance(random, probabilities.present)) value[name] = randomValue(property, random, probabilities);
  }
  for (const name of schema.required ?? [])
    value[name] ??= randomValue(schema.properties?.[name] ?? {}, random, probabilities);
  if (typeof schema.additionalProperties === "object") {
    for (const name of ["x", "y"]) {
      if (chance(random, probabilities.present))
        value[name] = randomValue(schema.additionalProperties, random, probabilities);
    }
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === true && chance(random, 0.5)) value["u"] = anything(random, 2);
  if (chance(random, probabilities.mistake)) value["unknown"] = 1;
  return value;
}

function list(schema: Schema, random: Random, probabilities: Probabilities): unknown {
  const items = schema.items ?? {};
  const values = Array.from({ length: random.int(4) }, () => randomValue(items, random, probabilities));
  if (schema["x-kubernetes-list-type"] === undefined || schema["x-kubernetes-list-type"] === "atomic") return values;
  if (chance(random, probabilities.mistake * 2)) return values;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const known = new Map(values.map((value) => [keyOf(value, keys, items), value]));
  return [...known.values()];
}

function keyOf(value: unknown, keys: readonly string[], items: Schema): string {
  if (typeof value !== "object" || value === null || keys.length === 0) return JSON.stringify(value);
  return JSON.stringify(keys.map((key) => (value as Record<string, unknown>)[key] ?? items.properties?.[key]?.default));
}

function embedded(random: Random): unknown {
  return {
    apiVersion: "v1",
    kind: pick(random, ["A", "B"]),
    metadata: { name: "e", ...(chance(random, 0.5) ? { labels: { l: pick(random, ["1", "2"]) } } : {}) },
    ...(chance(random, 0.5) ? { data: anything(random, 2) } : {}),
  };
}

function anything(random: Random, depth: number): unknown {
  const scalars = ["a", "b", 1, 2, true];
  if (depth === 0) return pick<unknown>(random, scalars);
  return pick<() => unknown>(random, [
    () => pick<unknown>(random, scalars),
    () => Array.from({ length: random.int(3) }, () => anything(random, depth - 1)),
    () => freeRecord(random, depth),
    () => freeRecord(random, depth),
  ])();
}

function freeRecord(random: Random, depth: number): unknown {
  const value: Record<string, unknown> = {};
  for (const name of ["m", "n", "o"]) if (chance(random, 0.5)) value[name] = anything(random, depth - 1);
  return value;
}
