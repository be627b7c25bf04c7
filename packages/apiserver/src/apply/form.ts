import { isList, isRecord } from "@homeostat/core";
import { isNumber } from "./value-order.ts";
import type { MergeList, MergeMap, Scalar, MergeType } from "./merge-type.ts";

/** The form of a type that is at work for a value. */
export type Form =
  | { readonly as: "map"; readonly map: MergeMap }
  | { readonly as: "scalar"; readonly scalar: Scalar }
  | { readonly as: "list"; readonly list: MergeList };

/**
 * The form a value takes in a type.
 *
 * A value that fits none, and null, is met as a map where maps are allowed, else as a scalar, else as a list.
 */
export function formOf({ map, scalar, list }: MergeType, value: unknown): Form {
  if (scalar !== undefined && isScalar(value)) return { as: "scalar", scalar };
  if (list !== undefined && isList(value)) return { as: "list", list };
  if (map !== undefined) return { as: "map", map };
  if (scalar !== undefined) return { as: "scalar", scalar };
  if (list !== undefined) return { as: "list", list };
  return { as: "scalar", scalar: "untyped" };
}

/**
 * The forms to look at when two values stand side by side; what is `undefined` is absent and takes any form.
 *
 * Two values of different forms are looked at in both, the older one first.
 */
export function formsOf(type: MergeType, older: unknown, newer: unknown): readonly Form[] {
  if (newer === undefined) return [formOf(type, older)];
  const form = formOf(type, newer);
  if (older === undefined || isDecided(type, older) === isDecided(type, newer)) return [form];
  return [formOf(type, older), form];
}

/** Which form a value decides on; `open` when it could be any of several, as null is. */
function isDecided({ map, scalar, list }: MergeType, value: unknown): "map" | "scalar" | "list" | "open" {
  const isOnly = (map === undefined ? 0 : 1) + (scalar === undefined ? 0 : 1) + (list === undefined ? 0 : 1) === 1;
  if (isOnly) return map !== undefined ? "map" : scalar !== undefined ? "scalar" : "list";
  if (scalar !== undefined && isScalar(value)) return "scalar";
  if (list !== undefined && isList(value)) return "list";
  return map !== undefined && isRecord(value) ? "map" : "open";
}

/** Whether a value is a text, number or boolean. */
export function isScalar(value: unknown): value is string | number | bigint | boolean {
  return typeof value === "string" || typeof value === "boolean" || isNumber(value);
}

/** The names of a map that have a value; `undefined` counts as absent. */
export function namesOf(value: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(value).filter((name) => value[name] !== undefined);
}
