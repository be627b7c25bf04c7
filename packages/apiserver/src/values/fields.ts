// Readers of fields in untyped objects. A stored or received object has a known shape, but its JSON type is only `unknown`: a missing
// field, or one of another type than the caller expects, reads as the zero value of that type, as in the decoded Go struct of
// kube-apiserver.

import { isList, isRecord } from "@homeostat/core";

/** Returns the value at a path of field names and list indexes; undefined when a step is missing. Inherited properties do not count. */
export function valueAt(object: unknown, ...path: readonly (string | number)[]): unknown {
  let found = object;
  for (const key of path) {
    if (typeof key === "number") found = isList(found) ? found[key] : undefined;
    else found = isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

/** Returns the string at a path; empty when there is none. */
export function textAt(object: unknown, ...path: readonly string[]): string {
  const found = valueAt(object, ...path);
  return typeof found === "string" ? found : "";
}

/** Returns the number at a path; zero when there is none. */
export function numberAt(object: unknown, ...path: readonly string[]): number {
  const found = valueAt(object, ...path);
  return typeof found === "number" ? found : 0;
}

/** Returns the list at a path; empty when there is none. */
export function listAt(object: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(object, ...path);
  return isList(found) ? found : [];
}

/** Returns the entries of the map at a path; none when there is no map. */
export function entriesAt(object: unknown, ...path: readonly string[]): [string, unknown][] {
  const found = valueAt(object, ...path);
  return isRecord(found) ? Object.entries(found) : [];
}

/** Reports whether the path leads to a value other than null. */
export function isSet(object: unknown, ...path: readonly string[]): boolean {
  const found = valueAt(object, ...path);
  return found !== undefined && found !== null;
}
