import { textAt } from "../../../values/fields.ts";
import { age, nameOf } from "../../../tables/cell-text.ts";
import type { KindStrategy } from "../../strategy.ts";

/** VolumeAttributesClasses: a finalizer protects a class in use from removal. */
export const volumeAttributesClassStrategy: KindStrategy = {
  group: "storage.k8s.io",
  plural: "volumeattributesclasses",
  returnsDeletedObject: true,
  protectionFinalizer: "kubernetes.io/vac-protection",
  table: { cells: attributesClassCells },
};

function attributesClassCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), textAt(object, "driverName"), age(object, nowMs)];
}
