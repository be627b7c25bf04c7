// Generates random schemas that use most keywords, and random objects most of which satisfy them.

import type { Schema, SchemaType, ValidationRule } from "../structural/schema.ts";
import type { Json } from "../value/json.ts";
import type { Dice } from "./random-source.ts";
import { randomRules } from "./random-rules.ts";

const names = ["a", "b", "c", "x-y", "d.e", "kind", "metadata", "name"] as const;
const texts = [
  "",
  "a",
  "b",
  "ab",
  "abc",
  "xyz",
  "1",
  "é😀",
  "10.0.0.1",
  "2024-01-01",
  "1h",
  "a-b",
  "<&>",
  '"q"',
  "\n",
] as const;
const patterns = ["^a", "b$", "^[a-z]*$", "[0-9]+", "(?i)AB", "^.{1,3}$"] as const;
const formats = [
  "date-time",
  "date",
  "ipv4",
  "ipv6",
  "byte",
  "uuid",
  "int32",
  "int64",
  "float",
  "double",
  "email",
  "hostname",
  "duration",
  "uri",
  "cidr",
  "unknown",
] as const;
const numbers = [0, 1, 2, 3, -1, 5, 10, 1.5, 0.5, 2.5, 100, 1_000_000, 1e20, 3_000_000_000, -0.5, 0.1, 0.3] as const;

/** Returns random JSON, at most a few levels deep. */
export function randomJson(dice: Dice, depth = 0): Json {
  switch (dice.below(depth > 2 ? 6 : 9)) {
    case 0:
      return null;
    case 1:
      return dice.chance(50);
    case 2:
      return dice.pick(numbers);
    case 3:
      return dice.below(5);
    case 4:
    case 5:
      return dice.pick(texts);
    case 6:
      return list(dice, 4, () => randomJson(dice, depth + 1));
    default:
      return Object.fromEntries(list(dice, 4, () => [dice.pick(names), randomJson(dice, depth + 1)]));
  }
}

function list<T>(dice: Dice, limit: number, make: () => T): T[] {
  return Array.from({ length: dice.below(limit) }, make);
}

/** Optional parts of a generated schema. */
export interface RandomSchemaOptions {
  readonly rules?: boolean;
}

/** Returns a random schema of an object. Most, but not all, pass `checkSchema`. */
export function randomSchema(dice: Dice, options: RandomSchemaOptions = {}): Schema {
  return new SchemaMaker(dice, options).root();
}

class SchemaMaker {
  private readonly dice: Dice;
  private readonly options: RandomSchemaOptions;

  constructor(dice: Dice, options: RandomSchemaOptions) {
    this.dice = dice;
    this.options = options;
  }

  root(): Schema {
    const fields = ["spec", "status", "a", "b"] as const;
    const properties = Object.fromEntries(list(this.dice, 4, () => [this.dice.pick(fields), this.node(1)]));
    return this.finish({ type: "object", ...this.limits("object"), properties, ...this.needs() }, 0);
  }

  private node(depth: number): Schema {
    const scalars = ["string", "integer", "number", "boolean"] as const;
    const kinds = [...scalars, "object", "object", "object", "array", "array", "intOrString", "any"] as const;
    const kind = depth > 3 ? this.dice.pick(scalars) : this.dice.pick(kinds);
    switch (kind) {
      case "intOrString":
        return this.finish(this.intOrString(), depth);
      case "any":
        return this.finish(
          { "x-kubernetes-preserve-unknown-fields": true, ...(this.dice.chance(30) && { type: "object" }) },
          depth,
        );
      case "object":
        return this.finish({ type: "object", ...this.limits("object"), ...this.object(depth) }, depth);
      case "array":
        return this.finish({ type: "array", ...this.limits("array"), ...this.array(depth) }, depth);
      default:
        return this.finish({ type: kind, ...this.limits(kind) }, depth);
    }
  }

  private intOrString(): Schema {
    const { dice } = this;
    const choice: Schema[] = [{ type: "integer" }, { type: "string" }];
    return {
      "x-kubernetes-int-or-string": true,
      ...(dice.chance(30)
        ? { anyOf: choice }
        : dice.chance(20)
          ? { allOf: [{ anyOf: choice }, { maxLength: 3 }] }
          : {}),
      ...(dice.chance(20) && { pattern: "^[0-9]+$" }),
      ...(dice.chance(20) && { maximum: 3 }),
      ...(dice.chance(10) && { enum: [65, "B", 1] }),
    };
  }

  private object(depth: number): Schema {
    const { dice } = this;
    if (dice.chance(70)) {
      const properties = Object.fromEntries(list(dice, 5, () => [dice.pick(names), this.node(depth + 1)]));
      const declared = {
        properties,
        ...this.needs(),
        ...(dice.chance(10) && { "x-kubernetes-preserve-unknown-fields": true }),
      };
      return dice.chance(10) ? asResource(declared) : declared;
    }
    if (dice.chance(80)) return { additionalProperties: dice.chance(85) ? this.node(depth + 1) : dice.chance(50) };
    const isResource = dice.chance(50) && { "x-kubernetes-embedded-resource": true };
    return dice.chance(40) ? { "x-kubernetes-preserve-unknown-fields": true, ...isResource } : {};
  }

  private needs(): Schema {
    return this.dice.chance(30) ? { required: [this.dice.pick(names)] } : {};
  }

  private array(depth: number): Schema {
    const { dice } = this;
    const kind = dice.below(5);
    if (kind === 0) {
      const whole: Schema = {
        type: "object",
        "x-kubernetes-map-type": "atomic",
        properties: { a: { type: "string" } },
      };
      const items: Schema = dice.chance(20) ? whole : { type: dice.pick(["string", "integer"]) };
      return { "x-kubernetes-list-type": "set", items };
    }
    if (kind === 1) return this.listMap(depth);
    return { items: this.node(depth + 1), ...(kind === 2 && { "x-kubernetes-list-type": "atomic" }) };
  }

  private listMap(depth: number): Schema {
    const { dice } = this;
    const keys = dice.chance(70) ? ["name"] : ["name", "port"];
    const port: Schema = { type: "integer", ...(dice.chance(30) && { default: 80 }) };
    const properties = { c: this.node(depth + 1), name: { type: "string" as const }, port };
    return {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": keys,
      items: { type: "object", properties, required: port.default === undefined ? ["name", "port"] : ["name"] },
    };
  }

  private limits(type: SchemaType): Schema {
    const { dice } = this;
    const size = (percent: number): number | undefined => (dice.chance(percent) ? dice.below(5) : undefined);
    const bounded = this.options.rules === true && dice.chance(70);
    const odd = dice.chance(4) && { enum: [randomJson(dice, 2), randomJson(dice, 2)] };
    switch (type) {
      case "string":
        return {
          ...optional("minLength", size(20)),
          ...optional("maxLength", bounded ? 20 : size(20)),
          ...(dice.chance(20) && { pattern: dice.pick(patterns) }),
          ...(dice.chance(25) && { format: dice.pick(formats) }),
          ...(dice.chance(15) ? { enum: [dice.pick(texts), dice.pick(texts)] } : odd),
        };
      case "integer":
      case "number":
        return {
          ...(dice.chance(30) && { minimum: dice.pick(numbers) }),
          ...(dice.chance(30) && { maximum: dice.pick(numbers) }),
          ...(dice.chance(20) && { multipleOf: dice.pick([1, 2, 0.5, 0.1, 3, 1.5, -1, 10]) }),
          ...(dice.chance(20) && { exclusiveMinimum: true }),
          ...(dice.chance(20) && { exclusiveMaximum: true }),
          ...(dice.chance(30) && { format: dice.pick(formats) }),
          ...(dice.chance(10) ? { enum: [dice.pick(numbers), dice.pick(numbers)] } : odd),
        };
      case "array":
        return { ...optional("minItems", size(20)), ...optional("maxItems", bounded ? 5 : size(20)), ...odd };
      case "object":
        return { ...optional("minProperties", size(15)), ...optional("maxProperties", bounded ? 5 : size(15)), ...odd };
      case "boolean":
        return {};
    }
  }

  /** Adds keywords that a node of any type may have. */
  private finish(node: Schema, depth: number): Schema {
    const { dice } = this;
    const branch = (): Schema => this.branch(node, 0);
    const whole: Schema = {
      ...node,
      ...(node.anyOf === undefined && dice.chance(12) && { anyOf: [branch(), branch()] }),
      ...(dice.chance(8) && { oneOf: [branch(), branch()] }),
      ...(node.allOf === undefined && dice.chance(8) && { allOf: [branch(), branch()] }),
      ...(dice.chance(6) && { not: branch() }),
      ...(depth > 0 && dice.chance(15) && { nullable: true }),
    };
    const fallback =
      depth > 0 && dice.chance(18) ? (dice.chance(90) ? randomValue(dice, whole) : randomJson(dice)) : undefined;
    const rules: readonly ValidationRule[] =
      this.options.rules === true && dice.chance(30) ? randomRules(dice, whole) : [];
    return {
      ...whole,
      ...(fallback !== undefined && { default: fallback }),
      ...(rules.length > 0 && { "x-kubernetes-validations": rules }),
    };
  }

  /** Returns a schema that is allowed inside `anyOf`, `oneOf`, `allOf` or `not` of a node. */
  private branch(node: Schema, depth: number): Schema {
    const { dice } = this;
    const inner = (below: Schema): Schema => this.branch(below, depth + 1);
    const fields = Object.entries(node.properties ?? {}).filter(([name]) => name !== "metadata");
    const field = dice.chance(60) ? fields[dice.below(fields.length || 1)] : undefined;
    return {
      ...(node.type !== undefined && dice.chance(40) && this.limits(node.type)),
      ...(field !== undefined && { properties: { [field[0]]: inner(field[1]) } }),
      ...(node.type === "object" && this.needs()),
      ...(node.items !== undefined && dice.chance(50) && { items: inner(node.items) }),
      ...(depth < 2 && dice.chance(15) && { not: inner(node) }),
      ...(depth < 2 && dice.chance(15) && { anyOf: [inner(node), inner(node)] }),
    };
  }
}

function optional<K extends string>(key: K, value: number | undefined): { readonly [key in K]?: number } {
  const entries: { [key in K]?: number } = {};
  if (value !== undefined) entries[key] = value;
  return entries;
}

function asResource(node: Schema): Schema {
  const { kind, metadata, ...properties } = node.properties ?? {};
  return {
    ...node,
    "x-kubernetes-embedded-resource": true,
    properties: {
      ...properties,
      ...(kind !== undefined && { kind: { type: "string" } }),
      ...(metadata?.type === "object" && metadata.default === undefined && { metadata }),
      a: { type: "string" },
    },
  };
}

/** Returns a random object for a root schema, with `apiVersion`, `kind` and `metadata`. */
export function randomObject(dice: Dice, schema: Schema): { [key: string]: Json } {
  const value = randomValue(dice, schema);
  const fields = typeof value === "object" && value !== null && !isList(value) ? value : {};
  return { ...fields, apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "x" } };
}

/** Returns a random value that satisfies the schema more often than not. */
export function randomValue(dice: Dice, node: Schema, depth = 0): Json {
  if (depth > 8 || dice.chance(2) || (node.nullable === true && dice.chance(20))) return null;
  if (dice.chance(4)) return randomJson(dice, 1);
  if (node["x-kubernetes-int-or-string"] === true) return dice.chance(50) ? dice.below(5) : dice.pick(texts);
  const [choice, ...choices] = node.enum ?? [];
  if (choice !== undefined && dice.chance(80)) return dice.pick([choice, ...choices]);
  switch (node.type) {
    case "string":
      return dice.chance(70) ? (samples.get(node.format ?? "") ?? dice.pick(texts)) : dice.pick(texts);
    case "integer":
      return dice.pick([0, 1, 2, 3, 5, 10, -1, 1_000_000, 3_000_000_000]);
    case "number":
      return dice.pick(numbers);
    case "boolean":
      return dice.chance(50);
    case "array": {
      const elements = list(dice, 4, () => randomValue(dice, node.items ?? {}, depth + 1));
      return elements.length > 1 && dice.chance(25) ? [...elements, elements[0] ?? null] : elements;
    }
    case "object":
      return randomFields(dice, node, depth);
    default:
      return randomJson(dice, 1);
  }
}

const samples: ReadonlyMap<string, string> = new Map([
  ["date-time", "2024-01-01T00:00:00Z"],
  ["date", "2024-01-01"],
  ["ipv4", "1.2.3.4"],
  ["ipv6", "::1"],
  ["byte", "YQ=="],
  ["uuid", "01234567-89ab-cdef-0123-456789abcdef"],
  ["email", "a@b.c"],
  ["hostname", "a.bc"],
  ["duration", "1h"],
  ["uri", "http://x"],
  ["cidr", "1.2.3.0/24"],
]);

function randomFields(dice: Dice, node: Schema, depth: number): Json {
  const fields: { [key: string]: Json } = {};
  const properties = Object.entries(node.properties ?? {});
  for (const [name, property] of properties) if (dice.chance(70)) fields[name] = randomValue(dice, property, depth + 1);
  for (const name of node.required ?? []) if (dice.chance(60)) fields[name] ??= randomJson(dice, 1);
  const others = node.additionalProperties;
  if (typeof others === "object") {
    for (let count = dice.below(3); count > 0; count--) fields[dice.pick(names)] = randomValue(dice, others, depth + 1);
  }
  if (dice.chance(20)) fields[dice.pick(["zz", "yy"])] = randomJson(dice, 1);
  return node["x-kubernetes-embedded-resource"] === true ? { ...fields, ...randomMeta(dice) } : fields;
}

function randomMeta(dice: Dice): { [key: string]: Json } {
  const metadata: Json = dice.pick<Json>([
    { name: "x" },
    { labels: { a: "b" }, foo: 1 },
    { name: "a/b", namespace: "N" },
    null,
    { annotations: { "a b": "c" }, creationTimestamp: "2024-01-01T00:00:00+01:00" },
    { generation: -1, finalizers: ["x", "y/z"], ownerReferences: [{ kind: "K", bar: 1 }] },
  ]);
  return {
    ...(dice.chance(90) && { apiVersion: dice.pick(["v1", "a/b", "a/b/c", ""]) }),
    ...(dice.chance(90) && { kind: dice.pick(["Pod", "x_", ""]) }),
    ...(dice.chance(60) && { metadata }),
  };
}

/** Returns a copy of the object with one field changed, removed or reversed. */
export function changed(dice: Dice, object: { readonly [key: string]: Json }): { [key: string]: Json } {
  const [first, ...rest] = Object.keys(object).filter((key) => !["apiVersion", "kind", "metadata"].includes(key));
  if (first === undefined) return { ...object };
  const key = dice.pick([first, ...rest]);
  return { ...object, [key]: change(dice, object[key] ?? null) };
}

function change(dice: Dice, value: Json): Json {
  if (value === null || typeof value !== "object")
    return dice.chance(30) ? value : dice.pick<Json>([...texts, ...numbers]);
  if (isList(value)) {
    const at = dice.below(value.length || 1);
    if (dice.chance(30)) return value.filter((_, index) => index !== at);
    return dice.chance(40)
      ? [...value].reverse()
      : value.map((each, index) => (index === at ? change(dice, each) : each));
  }
  const [first, ...rest] = Object.keys(value);
  if (first === undefined) return value;
  const key = dice.pick([first, ...rest]);
  const { [key]: part, ...others } = value;
  return dice.chance(15) || part === undefined ? others : { ...others, [key]: change(dice, part) };
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
