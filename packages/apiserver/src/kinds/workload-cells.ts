import { numberAt, valueAt } from "../values/fields.ts";
import { age, containerCells, nameOf, selectorText } from "../tables/cell-text.ts";

/** Words for an empty and an invalid selector. */
export const selectorWords: { readonly none: string; readonly invalid: string } = {
  none: "<none>",
  invalid: "<error>",
};

/** Returns the table cells of a replica set. */
export function replicaSetCells(object: unknown, nowMs: number): unknown[] {
  return [
    nameOf(object),
    numberAt(object, "spec", "replicas"),
    numberAt(object, "status", "replicas"),
    numberAt(object, "status", "readyReplicas"),
    age(object, nowMs),
    ...containerCells(valueAt(object, "spec", "template")),
    selectorText(object, selectorWords, "spec", "selector"),
  ];
}
