import { isList, isRecord } from "@homeostat/core";
import { isNumber } from "./value-order.ts";
import type { MergeList, MergeMap, Scalar, MergeType } from "./merge-type.ts";

/** The alternative of a type (map, scalar or list) that applies to a value. */
export type Form =
  | { readonly as: "map"; readonly map: MergeMap }
  | { readonly as: "scalar"; readonly scalar: Scalar }
  | { readonly as: "list"; readonly list: MergeList };

/**
 * Returns the alternative of a type that applies to a value.
 *
 * Null, and a value that matches no alternative, counts as a map if the type allows maps, else as a scalar, else as a
 * list.
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
 * Returns the alternatives to compare two values in; `undefined` means absent and matches any.
 *
 * Two values of different alternatives are compared in both, first in that of the older value.
 */
export function formsOf(type: MergeType, older: unknown, newer: unknown): readonly Form[] {
  if (newer === undefined) return [formOf(type, older)];
  const form = formOf(type, newer);
  if (older === undefined || determinedForm(type, older) === determinedForm(type, newer)) return [form];
  return [formOf(type, older), form];
}

/** Returns the alternative that a value determines, or `open` if several are possible, as for null. */
function determinedForm({ map, scalar, list }: MergeType, value: unknown): "map" | "scalar" | "list" | "open" {
  const isOnly = (map === undefined ? 0 : 1) + (scalar === undefined ? 0 : 1) + (list === undefined ? 0 : 1) === 1;
  if (isOnly) return map !== undefined ? "map" : scalar !== undefined ? "scalar" : "list";
  if (scalar !== undefined && isScalar(value)) return "scalar";
  if (list !== undefined && isList(value)) return "list";
  return map !== undefined && isRecord(value) ? "map" : "open";
}

/** Reports whether a value is a string, number or boolean. */
export function isScalar(value: unknown): value is string | number | bigint | boolean {
  return typeof value === "string" || typeof value === "boolean" || isNumber(value);
}

/** Returns the names in a map that have a value; `undefined` counts as absent. */
export function namesOf(value: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(value).filter((name) => value[name] !== undefined);
}
