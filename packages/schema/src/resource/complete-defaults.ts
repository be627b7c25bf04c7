import type { Schema } from "../structural/schema.ts";
import type { Json } from "../value/json.ts";

/**
 * Returns the schema with complete defaults: the default of an object gets the defaults of the fields inside it.
 *
 * The API server adds these when it applies defaults to an object. But when it validates a CRD it runs the rules on the default
 * as written: a rule on `self.replicas` would fail for the default `{}`, although no stored object ever looks like that.
 */
export function completeDefaults(schema: Schema): Schema {
  const { properties, items, additionalProperties } = schema;
  const complete: Schema = {
    ...schema,
    ...(properties !== undefined && { properties: mapValues(properties, completeDefaults) }),
    ...(items !== undefined && { items: completeDefaults(items) }),
    ...(typeof additionalProperties === "object" && { additionalProperties: completeDefaults(additionalProperties) }),
  };
  return schema.default === undefined ? complete : { ...complete, default: fill(complete, schema.default) };
}

/** Returns a value with defaults for its missing fields. Expects that the defaults inside `schema` are complete already. */
function fill(schema: Schema, value: Json): Json {
  if (isList(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((element) => fill(items, element));
  }
  if (typeof value !== "object" || value === null) return value;
  const filled = new Map(Object.entries(value));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const given = filled.get(name);
    const isMissing = given === undefined || (given === null && property.nullable !== true);
    if (!isMissing) filled.set(name, fill(property, given));
    else if (property.default !== undefined) filled.set(name, property.default);
  }
  const { additionalProperties } = schema;
  if (typeof additionalProperties === "object") {
    for (const [key, element] of filled) filled.set(key, fill(additionalProperties, element));
  }
  return Object.fromEntries(filled);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function mapValues<T, U>(record: { readonly [key: string]: T }, map: (value: T) => U): { [key: string]: U } {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
