import { isRecord, type JsonRecord, safeSet } from "@homeostat/core";

/** The path of a field: the keys of nested maps. Lists have no paths of their own: they are written whole. */
export type FieldPath = readonly string[];

/** Returns the paths of all values in an object that are not maps with content. */
export function leavesOf(value: unknown, path: FieldPath = []): FieldPath[] {
  if (!isRecord(value) || (path.length > 0 && Object.keys(value).length === 0)) return [path];
  return Object.entries(value).flatMap(([key, child]) => leavesOf(child, [...path, key]));
}

/** Returns the value at a path; undefined if there is none. */
export function valueAt(object: unknown, path: FieldPath): unknown {
  let value = object;
  for (const key of path) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

/** Returns a copy of an object without the field at a path. */
export function without(object: JsonRecord, path: FieldPath): JsonRecord {
  const [key, ...rest] = path;
  if (key === undefined || !Object.hasOwn(object, key)) return object;
  const { [key]: child, ...others } = object;
  if (rest.length === 0) return others;
  return isRecord(child) ? { ...object, [key]: without(child, rest) } : object;
}

/** Returns paths in the form of `managedFields`: `{"f:spec": {"f:replicas": {}}}`. */
export function toFieldsV1(paths: readonly FieldPath[]): JsonRecord {
  const fields: JsonRecord = {};
  for (const path of paths) {
    let at = fields;
    for (const key of path) {
      const child = at[`f:${key}`];
      const next: JsonRecord = isRecord(child) ? child : {};
      safeSet(at, `f:${key}`, next);
      at = next;
    }
  }
  return fields;
}

/** Returns the paths in a set of fields of `managedFields`. Entries of lists count as the list. */
export function fromFieldsV1(fields: unknown, path: FieldPath = []): FieldPath[] {
  if (!isRecord(fields)) return [path];
  const children = Object.entries(fields).filter(([key]) => key.startsWith("f:"));
  if (children.length === 0) return path.length === 0 ? [] : [path];
  return children.flatMap(([key, child]) => fromFieldsV1(child, [...path, key.slice(2)]));
}
