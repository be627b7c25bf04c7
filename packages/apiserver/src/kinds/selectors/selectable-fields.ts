// Fields that field selectors of a kind support.

import type { JsonRecord } from "@homeostat/core";
import { valueAt } from "../../values/fields.ts";

/** Reads the value that a selector compares. */
type FieldReader = (object: JsonRecord) => string;

/** The name of a field in selectors and the reader of its value. */
export type SelectableField = [name: string, read: FieldReader];

/** Fields that selectors of a kind may use. */
export interface SelectableFields {
  readonly fields: ReadonlyMap<string, FieldReader>;
  /** Returns the error message for any other field. */
  readonly refusal: (field: string) => string;
}

/** Returns the field at a path. Selectors compare its text, or `zero` when the field is absent. */
export function fieldAt(path: string, zero: string = ""): SelectableField {
  const steps = path.split(".");
  return [path, (object) => fieldText(valueAt(object, ...steps)) || zero];
}

/** Returns a scalar as Go prints it; empty for anything else. */
export function fieldText(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" || typeof value === "bigint" ? String(value) : "";
}

/** The field `metadata.name`, which every kind supports. */
export const nameField: SelectableField = fieldAt("metadata.name");

/** The field `metadata.namespace`. */
export const namespaceField: SelectableField = fieldAt("metadata.namespace");

/** Builds the selectable fields of a kind, with the usual error for all others. */
export function selectable(...fields: readonly SelectableField[]): SelectableFields {
  return { fields: new Map(fields), refusal: (field) => `field label not supported: ${field}` };
}
