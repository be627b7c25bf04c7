// Accessors for untyped objects. They read only own properties and return an empty value if something is missing.

import { isList, isRecord, type JsonRecord } from "@homeostat/core";

const emptyRecord: JsonRecord = Object.freeze({});

/** Returns an own property of a value, or undefined. */
export function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Returns a string property; empty if there is none. */
export function textOf(value: unknown, name: string): string {
  const found = fieldOf(value, name);
  return typeof found === "string" ? found : "";
}

/** Returns an object property; an empty object if there is none. */
export function recordOf(value: unknown, name: string): JsonRecord {
  const found = fieldOf(value, name);
  return isRecord(found) ? found : emptyRecord;
}

/** Returns a list property; an empty list if there is none. */
export function listOf(value: unknown, name: string): readonly unknown[] {
  const found = fieldOf(value, name);
  return isList(found) ? found : [];
}

/** Returns the strings of a list property. */
export function textsOf(value: unknown, name: string): string[] {
  return listOf(value, name).filter((each) => typeof each === "string");
}

/** Returns the value at a path of property names. */
export function valueAtPath(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(fieldOf, value);
}
