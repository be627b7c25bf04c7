import { isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";
import type { Difference } from "./differences.ts";

/**
 * What a merge patch has to say so that differing fields are as wanted, with lists replaced whole.
 *
 * For when an apply is refused: it leaves the elements that others have added to a list, and those may not go together with ours.
 * A Service whose port 6379 became 6380 would have two ports of one name.
 */
export function repairOf(wanted: object, differences: readonly Difference[]): JsonRecord {
  const patch: JsonRecord = {};
  for (const steps of differences) {
    const names = plainStart(steps);
    const value = valueAt(wanted, names);
    if (value !== undefined) put(patch, names, value);
  }
  return patch;
}

/** The steps up to the first list. */
function plainStart(steps: Difference): readonly string[] {
  const names: string[] = [];
  for (const step of steps) {
    if (typeof step !== "string") break;
    names.push(step);
  }
  return names;
}

function valueAt(object: unknown, names: readonly string[]): unknown {
  let value = object;
  for (const name of names) value = isRecord(value) ? ownValue(value, name) : undefined;
  return value;
}

function put(target: JsonRecord, names: readonly string[], value: unknown): void {
  const [first, ...rest] = names;
  if (first === undefined) return;
  if (rest.length === 0) {
    safeSet(target, first, value);
    return;
  }
  const inner = ownValue(target, first);
  const next: JsonRecord = isRecord(inner) ? inner : {};
  if (next !== inner) safeSet(target, first, next);
  put(next, rest, value);
}
