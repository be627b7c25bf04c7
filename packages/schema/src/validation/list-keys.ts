import { quote } from "@homeostat/cel";
import { isRecord } from "@homeostat/core";
import { isInt64 } from "../value/int64.ts";

/** Items of a list of type `map`, by their keys. */
export type KeysIndex = ReadonlyMap<unknown, unknown>;

/**
 * Indexes the items of a list by their keys. Of several items with the same keys the first is used. Items that lack a key, or have
 * one that is not a scalar, are omitted.
 */
export function keysIndex(elements: readonly unknown[], keys: readonly string[]): KeysIndex {
  const index = new Map<unknown, unknown>();
  for (const element of elements) {
    const key = keyOfElement(element, keys);
    if (key !== undefined && !index.has(key)) index.set(key, element);
  }
  return index;
}

/** Returns the indexed item with the same keys as a given item; undefined if there is none. */
export function findByKeys(index: KeysIndex, element: unknown, keys: readonly string[]): unknown {
  const key = keyOfElement(element, keys);
  return key === undefined ? undefined : index.get(key);
}

function keyOfElement(element: unknown, keys: readonly string[]): unknown {
  if (!isRecord(element)) return undefined;
  const values = keys.map((key) => (Object.hasOwn(element, key) ? element[key] : undefined));
  if (!values.every(isScalar)) return undefined;
  return values.length === 1 ? values[0] : values.map(formatKey).join("\0");
}

function isScalar(value: unknown): value is string | number | bigint | boolean {
  return (
    typeof value === "string" || typeof value === "number" || typeof value === "bigint" || typeof value === "boolean"
  );
}

/** Formats a key. Like the API server, compares composite keys as strings, with six digits for fractions. */
function formatKey(value: string | number | bigint | boolean): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "number" && !isInt64(value)) return value.toFixed(6);
  return String(value);
}
