import { entriesAt } from "./read.ts";

/** How many entries a map has. */
export function countOf(object: unknown, ...path: readonly string[]): number {
  return entriesAt(object, ...path).length;
}
