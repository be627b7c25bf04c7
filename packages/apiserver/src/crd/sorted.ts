import { isList, isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { compareBytes } from "../codec/go-text.ts";

const depthMax = 10_000;

/** An object with its keys in order at every depth: to the real server it is a map, and maps are printed so. */
export function sortedObject(object: JsonRecord): JsonRecord {
  const result = sorted(object, 0);
  return isRecord(result) ? result : object;
}

/** What is in order already is shared, not copied. */
function sorted(value: unknown, depth: number): unknown {
  if (depth > depthMax) return value;
  if (isList(value)) return sortedList(value, depth);
  if (!isRecord(value)) return value;
  return Object.isFrozen(value) ? sortedFrozen(value, depth) : sortedRecord(value, depth);
}

/** What is frozen is shared by many objects, and need not be looked at for each of them. */
const known = new WeakMap<JsonRecord, JsonRecord>();

function sortedFrozen(value: JsonRecord, depth: number): JsonRecord {
  const before = known.get(value);
  if (before !== undefined) return before;
  const made = sortedRecord(value, depth);
  known.set(value, made);
  return made;
}

function sortedRecord(value: JsonRecord, depth: number): JsonRecord {
  const keys = Object.keys(value);
  const parts = keys.map((key) => sorted(value[key], depth + 1));
  if (isInOrder(keys) && parts.every((part, index) => part === value[keys[index] ?? ""])) return value;
  const places = new Map(keys.map((key, index) => [key, parts[index]]));
  const made: JsonRecord = {};
  for (const key of keys.sort(compareBytes)) safeSet(made, key, places.get(key));
  return made;
}

function sortedList(list: readonly unknown[], depth: number): readonly unknown[] {
  const parts = list.map((part) => sorted(part, depth + 1));
  return parts.every((part, index) => part === list[index]) ? list : parts;
}

function isInOrder(keys: readonly string[]): boolean {
  for (let at = 1; at < keys.length; at += 1) if ((keys[at - 1] ?? "") > (keys[at] ?? "")) return false;
  return true;
}
