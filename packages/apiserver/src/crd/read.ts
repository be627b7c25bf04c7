// Reading of untyped objects: by own properties alone, with a plain value where something is missing.

import { isList, isRecord, type JsonRecord } from "@homeostat/core";

const nothing: JsonRecord = Object.freeze({});

/** An own field of a value; undefined where there is none. */
export function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A field that is a text; empty where it is none. */
export function textOf(value: unknown, name: string): string {
  const found = fieldOf(value, name);
  return typeof found === "string" ? found : "";
}

/** A field that is an object; an empty one where it is none. */
export function recordOf(value: unknown, name: string): JsonRecord {
  const found = fieldOf(value, name);
  return isRecord(found) ? found : nothing;
}

/** A field that is a list; an empty one where it is none. */
export function listOf(value: unknown, name: string): readonly unknown[] {
  const found = fieldOf(value, name);
  return isList(found) ? found : [];
}

/** The texts of a field that is a list. */
export function textsOf(value: unknown, name: string): string[] {
  return listOf(value, name).filter((each) => typeof each === "string");
}

/** The value at the end of a path of field names. */
export function valueAtPath(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(fieldOf, value);
}
