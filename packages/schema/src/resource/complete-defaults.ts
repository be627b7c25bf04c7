import type { Json, Schema } from "../structural/schema.ts";

/**
 * The schema with every default made whole: a default for an object gains the defaults of the fields inside it.
 *
 * The API server would add them anyway when it fills in the object. It checks rules on the default as it is written,
 * though, and a rule on `self.replicas` would refuse a default of `{}` although no object ever has it.
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

/** A value with the defaults of the fields that it lacks. The defaults inside `schema` are whole already. */
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
