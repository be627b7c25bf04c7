// Reads parts of objects whose shape is known but not trusted: what is absent or of another type reads as empty.

import { isList, isRecord } from "@homeostat/core";

/** The value at a path of fields and indexes, or undefined. */
export function valueAt(object: unknown, ...path: readonly (string | number)[]): unknown {
  let found = object;
  for (const key of path) {
    if (typeof key === "number") found = isList(found) ? found[key] : undefined;
    else found = isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

/** A text; empty where there is none. */
export function textAt(object: unknown, ...path: readonly string[]): string {
  const found = valueAt(object, ...path);
  return typeof found === "string" ? found : "";
}

/** A number; zero where there is none. */
export function numberAt(object: unknown, ...path: readonly string[]): number {
  const found = valueAt(object, ...path);
  return typeof found === "number" ? found : 0;
}

/** A list; empty where there is none. */
export function listAt(object: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(object, ...path);
  return isList(found) ? found : [];
}

/** The entries of a map; none where there is no map. */
export function entriesAt(object: unknown, ...path: readonly string[]): [string, unknown][] {
  const found = valueAt(object, ...path);
  return isRecord(found) ? Object.entries(found) : [];
}

/** Whether something other than null is there. */
export function isSet(object: unknown, ...path: readonly string[]): boolean {
  const found = valueAt(object, ...path);
  return found !== undefined && found !== null;
}
