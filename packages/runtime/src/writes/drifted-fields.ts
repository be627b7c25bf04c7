import { isList, isRecord, ownValue, safeSet } from "@homeostat/core";
import { type ChangedField, changedFields, elementKeyOf, valueOf } from "./changed-fields.ts";

/** Returns the fields of a live object that differ from the desired configuration. Fields that the configuration does not set are ignored. */
export function driftedFields(config: unknown, live: unknown): readonly ChangedField[] {
  return changedFields(restrictTo(config, live, 0), config);
}

/** Maximum depth; values below it are compared as a whole. */
const depthMax = 32;

/** Returns the part of a live value that has counterparts in the desired one. */
function restrictTo(desired: unknown, value: unknown, depth: number): unknown {
  if (depth === depthMax) return value;
  if (isRecord(desired) && isRecord(value)) {
    const part = {};
    for (const key of Object.keys(desired)) {
      const inner = ownValue(value, key);
      if (inner !== undefined) safeSet(part, key, restrictTo(desired[key], inner, depth + 1));
    }
    return part;
  }
  if (!isList(desired) || !isList(value)) return value;
  const key = elementKeyOf(desired, value);
  if (key === undefined) return value;
  const elements = new Map(value.map((element) => [valueOf(element, key), element]));
  return desired
    .filter((element) => elements.has(valueOf(element, key)))
    .map((element) => restrictTo(element, elements.get(valueOf(element, key)), depth + 1));
}
