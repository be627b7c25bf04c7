import { textAt } from "./read.ts";
import { instantMs, nameOf } from "./words.ts";

/** The cells of a kind without columns of its own: its name and when it was created. */
export function createdAtCells(object: unknown): unknown[] {
  const created = textAt(object, "metadata", "creationTimestamp");
  return [nameOf(object), instantMs(created) === undefined ? "0001-01-01T00:00:00Z" : created];
}
