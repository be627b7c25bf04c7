// Source code of fields: the calls of the builder `s` that make the same schema.
//
// Each function takes the keywords that its calls express. A schema with a keyword that is left is written as it is, with `s.embedded`, so that
// nothing is lost.

import type { Schema } from "../structural/schema.ts";
import type { Json } from "../value/json.ts";
import { s } from "../builder/s.ts";
import type { TypeWriter } from "./type-writer.ts";
import { key, quote } from "./typescript.ts";

/** Options of {@link fieldCode}. */
export interface FieldCodeOptions {
  /** Name of the type of the field, for schemas that are written as they are. */
  readonly name: string;
  readonly types: TypeWriter;
}

/** Returns the code of a field without its presence: no `.optional()` and no `.default(…)`. */
export function fieldCode(schema: Schema, options: FieldCodeOptions): string {
  const keywords = new Keywords(schema);
  // The caller writes the default, because it replaces `.optional()`.
  keywords.take("default");
  const base = baseCode(keywords, options);
  const common = commonCalls(keywords);
  return base === undefined || keywords.isLeft ? embeddedCode(schema, options) : `${base}${common}`;
}

/** Returns the code of a field of an object with its presence. */
export function propertyCode(parent: Schema, name: string, options: FieldCodeOptions): string {
  const schema = parent.properties?.[name] ?? {};
  const code = fieldCode(schema, {
    ...options,
    name: `${options.name}${name.charAt(0).toUpperCase()}${name.slice(1)}`,
  });
  if (schema.default !== undefined) return `${code}.default(${json(schema.default)})`;
  return parent.required?.includes(name) === true ? code : `${code}.optional()`;
}

/** The keywords of a schema that no call expresses yet. */
class Keywords {
  readonly schema: Schema;
  readonly #left: Set<string>;

  constructor(schema: Schema) {
    this.schema = schema;
    this.#left = new Set(Object.keys(schema));
  }

  get isLeft(): boolean {
    return this.#left.size > 0;
  }

  take<K extends keyof Schema>(keyword: K): Schema[K] {
    this.#left.delete(keyword);
    return this.schema[keyword];
  }

  /** Returns the call of a method with the value of a keyword; empty without the keyword. */
  call(method: string, keyword: keyof Schema): string {
    const value = this.take(keyword);
    return value === undefined ? "" : `.${method}(${JSON.stringify(value)})`;
  }

  /** Returns the call of a method without arguments if a keyword has this value. */
  flag(method: string, keyword: keyof Schema, value: unknown): string {
    if (this.schema[keyword] !== value) return "";
    this.take(keyword);
    return `.${method}()`;
  }
}

function commonCalls(keywords: Keywords): string {
  const nullable = keywords.flag("nullable", "nullable", true);
  const describe = keywords.call("describe", "description");
  const rules = (keywords.take("x-kubernetes-validations") ?? []).map((rule) => `.rule(${JSON.stringify(rule)})`);
  return `${nullable}${describe}${rules.join("")}`;
}

function baseCode(keywords: Keywords, options: FieldCodeOptions): string | undefined {
  const { schema } = keywords;
  if (schema["x-kubernetes-int-or-string"] === true) return intOrStringCode(keywords);
  switch (schema.type) {
    case "string":
      return stringCode(keywords);
    case "integer":
    case "number":
      return numberCode(keywords);
    case "boolean":
      keywords.take("type");
      return "s.bool()";
    case "array":
      return listCode(keywords, options);
    case "object":
      return objectCode(keywords, options);
    default:
      if (schema["x-kubernetes-preserve-unknown-fields"] !== true) return undefined;
      keywords.take("x-kubernetes-preserve-unknown-fields");
      return "s.json()";
  }
}

function intOrStringCode(keywords: Keywords): string | undefined {
  if (JSON.stringify(keywords.schema.anyOf) !== JSON.stringify(s.intOrString().schema.anyOf)) return undefined;
  keywords.take("anyOf");
  keywords.take("x-kubernetes-int-or-string");
  const limits = `${keywords.call("min", "minimum")}${keywords.call("max", "maximum")}${keywords.call("maxLength", "maxLength")}`;
  if (keywords.schema.pattern === s.quantity().schema.pattern) {
    keywords.take("pattern");
    return `s.quantity()${limits}`;
  }
  return `s.intOrString()${limits}${keywords.call("pattern", "pattern")}`;
}

/** Formats that `.format(…)` offers. An API server ignores others, and the builder does not have them. */
const formats: ReadonlySet<string> = new Set(
  "bsonobjectid byte cidr creditcard date date-time duration email hexcolor hostname ipv4 ipv6 isbn isbn10 isbn13 k8s-long-name k8s-short-name mac password rgbcolor ssn uri uuid uuid3 uuid4 uuid5".split(
    " ",
  ),
);

function stringCode(keywords: Keywords): string {
  keywords.take("type");
  const values = keywords.schema.enum;
  const isTextEnum = values !== undefined && values.every((value) => typeof value === "string");
  if (isTextEnum) keywords.take("enum");
  const start = isTextEnum ? `s.enum(${values.map((value) => quote(value)).join(", ")})` : "s.string()";
  const { format = "" } = keywords.schema;
  const formatCall = formats.has(format) ? keywords.call("format", "format") : "";
  const limits = `${keywords.call("min", "minLength")}${keywords.call("max", "maxLength")}${keywords.call("pattern", "pattern")}`;
  return `${start}${limits}${formatCall}`;
}

function numberCode(keywords: Keywords): string | undefined {
  const { type, format, minimum, maximum } = keywords.schema;
  const start = numberStart(type, format);
  if (start === undefined) return undefined;
  keywords.take("type");
  keywords.take("format");
  let code = start;
  // `.above` and `.below` set both keywords, so they need both.
  if (keywords.schema.exclusiveMinimum === true && minimum !== undefined) {
    keywords.take("exclusiveMinimum");
    code += keywords.call("above", "minimum");
  } else code += keywords.call("min", "minimum");
  if (keywords.schema.exclusiveMaximum === true && maximum !== undefined) {
    keywords.take("exclusiveMaximum");
    code += keywords.call("below", "maximum");
  } else code += keywords.call("max", "maximum");
  code += keywords.call("multipleOf", "multipleOf");
  const values = keywords.schema.enum;
  if (values !== undefined && values.every((value) => typeof value === "number")) {
    keywords.take("enum");
    code += `.enum(${values.join(", ")})`;
  }
  return code;
}

function numberStart(type: Schema["type"], format: string | undefined): string | undefined {
  if (type === "number") return format === undefined ? "s.number()" : undefined;
  if (format === "int32") return "s.int()";
  return format === "int64" ? "s.int64()" : undefined;
}

function listCode(keywords: Keywords, options: FieldCodeOptions): string | undefined {
  const { items } = keywords.schema;
  const listType = keywords.schema["x-kubernetes-list-type"] ?? "atomic";
  const keys = keywords.schema["x-kubernetes-list-map-keys"] ?? [];
  if (items === undefined || items.default !== undefined) return undefined;
  const item = fieldCode(items, { ...options, name: `${options.name}Item` });
  if (listType === "map" && !(item.startsWith("s.object(") && keys.every((name) => isKey(items, name))))
    return undefined;
  for (const keyword of ["type", "items", "x-kubernetes-list-type", "x-kubernetes-list-map-keys"] as const)
    keywords.take(keyword);
  const typed = { atomic: ".atomic()", set: ".set()", map: `.mapBy(${keys.map(quote).join(", ")})` }[listType];
  return `s.list(${item})${typed}${keywords.call("min", "minItems")}${keywords.call("max", "maxItems")}`;
}

/** Reports whether the builder accepts a field as a key: a scalar that is always present. */
function isKey(item: Schema, name: string): boolean {
  const schema = item.properties?.[name];
  if (schema === undefined || schema.nullable === true) return false;
  const isPresent = item.required?.includes(name) === true || schema.default !== undefined;
  return isPresent && ["string", "integer", "number", "boolean"].includes(schema.type ?? "");
}

function objectCode(keywords: Keywords, options: FieldCodeOptions): string | undefined {
  const { schema } = keywords;
  const { properties = {}, additionalProperties, required = [] } = schema;
  const names = Object.keys(properties);
  keywords.take("type");
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const limits = `${keywords.call("min", "minProperties")}${keywords.call("max", "maxProperties")}`;
  const atomic = keywords.flag("atomic", "x-kubernetes-map-type", "atomic");
  if (typeof additionalProperties === "object") {
    if (names.length > 0 || additionalProperties.default !== undefined) return undefined;
    keywords.take("additionalProperties");
    return `s.map(${fieldCode(additionalProperties, { ...options, name: `${options.name}Value` })})${limits}${atomic}`;
  }
  if (schema["x-kubernetes-embedded-resource"] === true) {
    if (!isOpen || names.length > 0) return undefined;
    keywords.take("x-kubernetes-embedded-resource");
    keywords.take("x-kubernetes-preserve-unknown-fields");
    return `s.embeddedResource()${limits}${atomic}`;
  }
  if (!required.every((name) => names.includes(name))) return undefined;
  keywords.take("properties");
  keywords.take("required");
  if (isOpen && names.length === 0) {
    keywords.take("x-kubernetes-preserve-unknown-fields");
    return `s.opaque()${limits}${atomic}`;
  }
  const open = keywords.flag("preserveUnknown", "x-kubernetes-preserve-unknown-fields", true);
  return `s.object(${fieldsCode(schema, options)})${open}${limits}${atomic}`;
}

/** Returns the code of the fields of an object, as an object literal. */
export function fieldsCode(schema: Schema, options: FieldCodeOptions): string {
  const names = Object.keys(schema.properties ?? {});
  if (names.length === 0) return "{}";
  return `{\n${names.map((name) => `${key(name)}: ${propertyCode(schema, name, options)},\n`).join("")}}`;
}

function embeddedCode({ default: _default, ...schema }: Schema, { name, types }: FieldCodeOptions): string {
  const type = types.typeOf(schema, { name, mode: "write" });
  return `s.embedded<${type}>({ name: ${quote(name)}, schema: ${JSON.stringify(schema)} })`;
}

function json(value: Json): string {
  return JSON.stringify(value);
}
