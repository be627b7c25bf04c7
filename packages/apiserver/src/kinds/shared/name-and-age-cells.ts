import { age, nameOf } from "../../tables/words.ts";

/** The cells of a kind that shows its name and its age alone. */
export function nameAndAgeCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), age(object, nowMs)];
}
