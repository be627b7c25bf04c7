// Validation of fields that may not change after creation.

import { isEqual } from "@homeostat/core";
import type { UpdateValidation } from "../strategy.ts";
import type { Field } from "./field.ts";
import { printedAs } from "./printed.ts";

export const immutable = "field is immutable";

export function checkImmutable(object: Field, old: Field, ...path: readonly string[]): void {
  const [now, before] = [follow(object, path), follow(old, path)];
  if (!isEqual(now.value, before.value)) now.invalid(immutable, now.value ?? emptyOf(before.value));
}

/** What a message shows in place of a value that is gone: an empty text, or nothing. */
function emptyOf(before: unknown): unknown {
  return typeof before === "string" ? "" : null;
}

function follow(field: Field, path: readonly string[]): Field {
  return path.reduce((at, name) => at.at(name), field);
}

export function immutableWhenMarked(words: string, ...fields: readonly string[]): UpdateValidation {
  return (object, old) => {
    if (old.at("immutable").value !== true) return;
    if (object.at("immutable").value !== true) object.at("immutable").forbidden(words);
    for (const name of fields) {
      if (!isEqual(object.at(name).value ?? {}, old.at(name).value ?? {})) object.at(name).forbidden(words);
    }
  };
}

/** Checks that an update keeps the selector. */
export function checkImmutableSelector(object: Field, old: Field): void {
  checkImmutable(object, old, "spec", "selector");
}

export function checkImmutablePrinted(type: string, now: Field, before: Field): void {
  if (!isEqual(now.value, before.value)) now.invalid(immutable, printedAs(`*${type}`, now.value));
}
