import { listAt } from "../../../values/fields.ts";
import { age, nameOf } from "../../../tables/cell-text.ts";
import type { KindStrategy } from "../../strategy.ts";

/** CSINodes: kubelets write them, and an update must name the version that it replaces. */
export const csiNodeStrategy: KindStrategy = {
  group: "storage.k8s.io",
  plural: "csinodes",
  requiresVersionOnUpdate: true,
  returnsDeletedObject: true,
  table: { cells: csiNodeCells },
};

function csiNodeCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), listAt(object, "spec", "drivers").length, age(object, nowMs)];
}
