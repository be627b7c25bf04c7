// Table cells that several kinds share.

import { textAt } from "../values/fields.ts";
import { age, instantMs, nameOf } from "./cell-text.ts";

/** Returns the cells of a Table with name and age. */
export function nameAndAgeCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), age(object, nowMs)];
}

/** Returns the cells of a kind without columns of its own: the name and the time of creation. */
export function createdAtCells(object: unknown): unknown[] {
  const created = textAt(object, "metadata", "creationTimestamp");
  return [nameOf(object), instantMs(created) === undefined ? "0001-01-01T00:00:00Z" : created];
}
