import { age, nameOf } from "../../tables/words.ts";

/** Returns the cells of a table with name and age. */
export function nameAndAgeCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), age(object, nowMs)];
}
