import { isList, isRecord, ownValue, safeSet } from "@homeostat/core";
import { type ChangedField, changedFields, elementKeyOf, valueOf } from "./changed-fields.ts";

/** Where an object is not as it was described. What the description does not speak of does not count. */
export function unmetFields(config: unknown, live: unknown): readonly ChangedField[] {
  return changedFields(restrictTo(config, live, 0), config);
}

/** Deeper than this, what is there is taken whole. */
const depthMax = 32;

/** The part of a value that another one speaks of. */
function restrictTo(wanted: unknown, value: unknown, depth: number): unknown {
  if (depth === depthMax) return value;
  if (isRecord(wanted) && isRecord(value)) {
    const part = {};
    for (const key of Object.keys(wanted)) {
      const inner = ownValue(value, key);
      if (inner !== undefined) safeSet(part, key, restrictTo(wanted[key], inner, depth + 1));
    }
    return part;
  }
  if (!isList(wanted) || !isList(value)) return value;
  const key = elementKeyOf(wanted, value);
  if (key === undefined) return value;
  const elements = new Map(value.map((element) => [valueOf(element, key), element]));
  return wanted
    .filter((element) => elements.has(valueOf(element, key)))
    .map((element) => restrictTo(element, elements.get(valueOf(element, key)), depth + 1));
}
