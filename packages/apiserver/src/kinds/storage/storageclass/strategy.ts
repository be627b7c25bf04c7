import { textAt, valueAt } from "../../../values/fields.ts";
import { age, nameOf, setOr } from "../../../tables/cell-text.ts";
import type { KindStrategy } from "../../strategy.ts";

/** StorageClasses: volumes are deleted with their claim and bound immediately by default. */
export const storageClassStrategy: KindStrategy = {
  group: "storage.k8s.io",
  plural: "storageclasses",
  returnsDeletedObject: true,
  defaults: { "storage.v1.StorageClass": { values: { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" } } },
  table: { cells: storageClassCells },
};

function storageClassCells(object: unknown, nowMs: number): unknown[] {
  const isDefault = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
  ].some((name) => textAt(object, "metadata", "annotations", name) === "true");
  return [
    `${nameOf(object)}${isDefault ? " (default)" : ""}`,
    textAt(object, "provisioner"),
    setOr(object, ["reclaimPolicy"], "Delete"),
    setOr(object, ["volumeBindingMode"], "Immediate"),
    valueAt(object, "allowVolumeExpansion") === true,
    age(object, nowMs),
  ];
}
