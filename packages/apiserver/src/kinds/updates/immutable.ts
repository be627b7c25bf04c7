// Validation of fields that may not change after creation.

import { isEqual } from "@homeostat/core";
import type { UpdateValidation } from "../strategy.ts";
import type { Field } from "../../validation/field.ts";
import { printedAs } from "../printed-values/printed.ts";

/** Error for a field that changed. */
export const immutable = "field is immutable";

/** Checks that an update keeps the field at a path. */
export function checkImmutable(object: Field, old: Field, ...path: readonly string[]): void {
  const [now, before] = [follow(object, path), follow(old, path)];
  if (!isEqual(now.value, before.value)) now.invalid(immutable, now.value ?? emptyOf(before.value));
}

/** Returns the value that messages show for a removed field: the zero value of its type. */
function emptyOf(before: unknown): unknown {
  return typeof before === "string" ? "" : null;
}

function follow(field: Field, path: readonly string[]): Field {
  return path.reduce((at, name) => at.at(name), field);
}

/** Returns a check that an object with `immutable: true` keeps these fields and the mark. */
export function immutableWhenMarked(detail: string, ...fields: readonly string[]): UpdateValidation {
  return (object, old) => {
    if (old.at("immutable").value !== true) return;
    if (object.at("immutable").value !== true) object.at("immutable").forbidden(detail);
    for (const name of fields) {
      if (!isEqual(object.at(name).value ?? {}, old.at(name).value ?? {})) object.at(name).forbidden(detail);
    }
  };
}

/** Checks that an update keeps the selector. */
export function checkImmutableSelector(object: Field, old: Field): void {
  checkImmutable(object, old, "spec", "selector");
}

/** Checks that an update keeps a field, and shows it as Go prints its internal type. */
export function checkImmutablePrinted(type: string, now: Field, before: Field): void {
  if (!isEqual(now.value, before.value)) now.invalid(immutable, printedAs(`*${type}`, now.value));
}
