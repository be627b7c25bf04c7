import { isList, isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { compareBytes } from "../codec/go-text.ts";

const depthMax = 10_000;

/**
 * Sorts the keys of an object at every level. The real server stores custom resources as Go maps, which are serialized
 * in that order.
 */
export function sortedObject(object: JsonRecord): JsonRecord {
  const result = sorted(object, 0);
  return isRecord(result) ? result : object;
}

/** Sorts a value. Parts that are already sorted are shared, not copied. */
function sorted(value: unknown, depth: number): unknown {
  if (depth > depthMax) return value;
  if (isList(value)) return sortedList(value, depth);
  if (!isRecord(value)) return value;
  return Object.isFrozen(value) ? sortedFrozen(value, depth) : sortedRecord(value, depth);
}

/** Results for frozen values. These are shared by many objects and need to be sorted only once. */
const sortedValues = new WeakMap<JsonRecord, JsonRecord>();

function sortedFrozen(value: JsonRecord, depth: number): JsonRecord {
  const cached = sortedValues.get(value);
  if (cached !== undefined) return cached;
  const result = sortedRecord(value, depth);
  sortedValues.set(value, result);
  return result;
}

function sortedRecord(value: JsonRecord, depth: number): JsonRecord {
  const keys = Object.keys(value);
  const parts = keys.map((key) => sorted(value[key], depth + 1));
  if (isInOrder(keys) && parts.every((part, index) => part === value[keys[index] ?? ""])) return value;
  const byKey = new Map(keys.map((key, index) => [key, parts[index]]));
  const result: JsonRecord = {};
  for (const key of keys.sort(compareBytes)) safeSet(result, key, byKey.get(key));
  return result;
}

function sortedList(list: readonly unknown[], depth: number): readonly unknown[] {
  const parts = list.map((part) => sorted(part, depth + 1));
  return parts.every((part, index) => part === list[index]) ? list : parts;
}

function isInOrder(keys: readonly string[]): boolean {
  for (let at = 1; at < keys.length; at += 1) if ((keys[at - 1] ?? "") > (keys[at] ?? "")) return false;
  return true;
}
