import { isList, isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";
import type { Schema } from "../structural/schema.ts";

/** A field that the schema declares, with its value. */
export interface DeclaredField {
  readonly name: string;
  /** The value, after dropping fields inside it. */
  readonly value: unknown;
  readonly schema: Schema;
}

/**
 * Returns a copy of a JSON value without the declared fields for which `isDropped` returns true, inner fields first. Map keys and
 * unknown fields stay.
 *
 * Used to compare objects in which some values, such as an empty list, mean the same as a missing field.
 *
 * @example
 * dropFields(spec, schema, ({ value }) => isList(value) && value.length === 0);
 */
export function dropFields(value: unknown, schema: Schema, isDropped: (field: DeclaredField) => boolean): unknown {
  if (isList(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item) => dropFields(item, items, isDropped));
  }
  if (!isRecord(value)) return value;
  const { properties = {} } = schema;
  const result: JsonRecord = {};
  for (const [name, given] of Object.entries(value)) {
    const inner = ownValue(properties, name) === undefined ? undefined : properties[name];
    const kept = inner === undefined ? given : dropFields(given, inner, isDropped);
    if (inner === undefined || !isDropped({ name, value: kept, schema: inner })) safeSet(result, name, kept);
  }
  return result;
}
