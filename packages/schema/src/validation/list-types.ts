import { isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { printJson } from "../problem/print.ts";
import { duplicate, invalid, type Problem } from "../problem/problem.ts";
import { additionalSchema, type SchemaNode } from "../structural/node.ts";
import { hasKey } from "../value/record.ts";

/** Reports duplicates in lists of type `set` and `map`. */
export type ListTypeCheck = (value: unknown, path: string) => Problem[];

/**
 * Compiles a schema into a function that reports duplicate items of sets and duplicate keys of list maps.
 *
 * Of several occurrences only the second is reported. Returns undefined if the schema has no such list.
 */
export function compileListTypeCheck(node: SchemaNode): ListTypeCheck | undefined {
  const item = node.items && compileListTypeCheck(node.items);
  const others = additionalSchema(node);
  const other = others && compileListTypeCheck(others);
  const properties = new Map<string, ListTypeCheck>();
  for (const [name, property] of node.properties) {
    const check = compileListTypeCheck(property);
    if (check !== undefined) properties.set(name, check);
  }
  const own = node.listType === "set" ? checkSet : node.listType === "map" ? checkMap(node.listMapKeys) : undefined;
  if (own === undefined && item === undefined && other === undefined && properties.size === 0) return undefined;

  return (value, path) => {
    if (Array.isArray(value)) {
      const problems = own?.(value, path) ?? [];
      if (item !== undefined) value.forEach((element, index) => problems.push(...item(element, `${path}[${index}]`)));
      return problems;
    }
    if (!isRecord(value)) return [];
    const problems: Problem[] = [];
    if (other !== undefined) {
      for (const [key, part] of Object.entries(value)) problems.push(...other(part, `${path}[${key}]`));
    }
    for (const [name, check] of properties) {
      if (hasKey(value, name)) problems.push(...check(value[name], path === "" ? name : `${path}.${name}`));
    }
    return problems;
  };
}

function checkSet(elements: readonly unknown[], path: string): Problem[] {
  return repeated(elements, identityOf).map((index) => duplicate(`${path}[${index}]`, { value: elements[index] }));
}

function checkMap(keys: readonly string[]): (elements: readonly unknown[], path: string) => Problem[] {
  const [only = ""] = keys;
  const identify =
    keys.length === 1
      ? (element: unknown): unknown => identityOf(valueAt(element, only) ?? missing)
      : (element: unknown): unknown => keys.map((key) => formatUnambiguous(valueAt(element, key))).join();
  return (elements, path) => {
    const wrongIndex = elements.findIndex((element) => element !== null && !isRecord(element));
    if (wrongIndex >= 0) {
      const detail = "must be an object for an array of list-type map";
      return [invalid(`${path}[${wrongIndex}]`, { value: elements[wrongIndex] }, detail)];
    }
    return repeated(elements, identify).map((index) => {
      const element = elements[index];
      return duplicate(`${path}[${index}]`, { value: keysOf(isRecord(element) ? element : {}, keys) });
    });
  };
}

/** Represents a missing key, which differs from a key that is null. */
const missing = Symbol("missing");

function valueAt(element: unknown, key: string): unknown {
  return isRecord(element) && Object.hasOwn(element, key) ? element[key] : undefined;
}

function keysOf(element: JsonRecord, keys: readonly string[]): JsonRecord {
  const found: { [key: string]: unknown } = {};
  for (const key of keys) if (hasKey(element, key)) safeSet(found, key, element[key]);
  return found;
}

/** Returns a primitive that identifies a value. Lists and objects are equal if they print the same JSON. */
function identityOf(value: unknown): unknown {
  return typeof value === "object" && value !== null ? `\0${printJson(value)}` : value;
}

/** Formats a value so that different sequences of values never join to the same string. */
function formatUnambiguous(value: unknown): string {
  if (typeof value === "string") return `${value.length}:${value}`;
  return typeof value === "object" && value !== null ? `=${printJson(value)}` : String(value);
}

/** Returns the index of the second occurrence of each item that occurs more than once. */
function repeated(elements: readonly unknown[], identify: (element: unknown) => unknown): number[] {
  if (elements.length < 2) return [];
  const seen = new Map<unknown, number>();
  const indexes: number[] = [];
  for (let index = 0; index < elements.length; index++) {
    const identity = identify(elements[index]);
    const count = seen.get(identity) ?? 0;
    seen.set(identity, count + 1);
    if (count === 1) indexes.push(index);
  }
  return indexes;
}
