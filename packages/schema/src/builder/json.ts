import { isList, isPlainRecord } from "@homeostat/core";
import type { Json } from "../value/json.ts";

const depthMax = 100;

/**
 * Returns a copy of `value` if it is JSON, otherwise undefined.
 *
 * Properties with the value `undefined` are omitted, as `JSON.stringify` does. Returns undefined for numbers that are not finite
 * and for values nested deeper than 100 levels.
 */
export function toJson(value: unknown, depth = 0): Json | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "object" || depth > depthMax) return undefined;
  if (isList(value)) return listToJson(value, depth);
  return isPlainRecord(value) ? recordToJson(value, depth) : undefined;
}

function listToJson(list: readonly unknown[], depth: number): Json | undefined {
  const copy: Json[] = [];
  for (const element of list) {
    const json = toJson(element, depth + 1);
    if (json === undefined) return undefined;
    copy.push(json);
  }
  return copy;
}

function recordToJson(record: Readonly<Record<string, unknown>>, depth: number): Json | undefined {
  const entries: [string, Json][] = [];
  for (const [key, element] of Object.entries(record)) {
    if (element === undefined) continue;
    const json = toJson(element, depth + 1);
    if (json === undefined) return undefined;
    entries.push([key, json]);
  }
  // Object.fromEntries defines own properties, so a key `__proto__` does not set the prototype.
  return Object.fromEntries(entries);
}
