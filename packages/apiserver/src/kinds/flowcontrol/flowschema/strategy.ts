import { isSet, listAt, numberAt, textAt, valueAt } from "../../../values/fields.ts";
import { age, nameOf } from "../../../tables/cell-text.ts";
import { keptStatusMetadata } from "../../updates/kept-status-metadata.ts";
import type { KindStrategy } from "../../strategy.ts";

/** FlowSchemas: tables list them in the order in which the server matches requests. */
export const flowSchemaStrategy: KindStrategy = {
  group: "flowcontrol.apiserver.k8s.io",
  plural: "flowschemas",
  hasGeneration: true,
  defaults: { "flowcontrol.v1.FlowSchemaSpec": { zeroValues: { matchingPrecedence: 1000 } } },
  status: keptStatusMetadata,
  table: { cells: flowSchemaCells, order: byPrecedence },
};

function flowSchemaCells(object: unknown, nowMs: number): unknown[] {
  const method = valueAt(object, "spec", "distinguisherMethod");
  const dangling = listAt(object, "status", "conditions").find((each) => textAt(each, "type") === "Dangling");
  return [
    nameOf(object),
    textAt(object, "spec", "priorityLevelConfiguration", "name"),
    numberAt(object, "spec", "matchingPrecedence"),
    isSet(method) ? textAt(method, "type") : "<none>",
    age(object, nowMs),
    dangling === undefined ? "?" : textAt(dangling, "status"),
  ];
}

/** Compares FlowSchemas by matching precedence, then by name. */
export function byPrecedence(a: unknown, b: unknown): number {
  const rank = (each: unknown): number => numberAt(each, "spec", "matchingPrecedence");
  return rank(a) - rank(b) || (nameOf(a) < nameOf(b) ? -1 : 1);
}
