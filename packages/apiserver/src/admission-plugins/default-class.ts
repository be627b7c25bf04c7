import { textAt, valueAt } from "../values/fields.ts";

/**
 * Returns the name of the default class: the newest one that has one of the annotations, and the first by name among
 * equally new ones.
 */
export function newestDefault(classes: readonly unknown[], annotations: readonly string[]): string | undefined {
  const createdAt = (each: unknown): string => textAt(each, "metadata", "creationTimestamp");
  const nameOf = (each: unknown): string => textAt(each, "metadata", "name");
  const [first] = classes
    .filter((each) => annotations.some((key) => textAt(valueAt(each, "metadata", "annotations"), key) === "true"))
    .toSorted((a, b) => compare(createdAt(b), createdAt(a)) || compare(nameOf(a), nameOf(b)));
  return first === undefined ? undefined : nameOf(first);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
