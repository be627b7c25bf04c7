import { isList, isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";
import type { Schema } from "../structural/schema.ts";

/** A field that the schema declares, with its value. */
export interface DeclaredField {
  readonly name: string;
  /** The value, from which inner fields have been dropped already. */
  readonly value: unknown;
  readonly schema: Schema;
}

/**
 * Returns a JSON value without the declared fields for which `isDropped` returns true, inner fields first. Keys of maps and fields
 * that the schema does not declare stay. The argument is not changed.
 *
 * For comparing two objects in which some values mean the same as none.
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
