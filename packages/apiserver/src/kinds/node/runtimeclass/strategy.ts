import { textAt } from "../../../values/fields.ts";
import { age, nameOf } from "../../../tables/cell-text.ts";
import type { KindStrategy } from "../../strategy.ts";

/** RuntimeClasses: an update may create one, and must otherwise name the version that it replaces. */
export const runtimeClassStrategy: KindStrategy = {
  group: "node.k8s.io",
  plural: "runtimeclasses",
  requiresVersionOnUpdate: true,
  allowsCreateOnUpdate: true,
  table: { cells: runtimeClassCells },
};

function runtimeClassCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), textAt(object, "handler"), age(object, nowMs)];
}
