import { deepClone, isRecord, type JsonRecord } from "@homeostat/core";
import { listAt, textAt, valueAt } from "../../../values/fields.ts";
import { age, nameOf, quantityText, setOr } from "../../../tables/cell-text.ts";
import { checkClaimSpec } from "../../pod-templates/claim-spec.ts";
import { defaultPhase } from "../../defaulting/defaults.ts";
import { partOf } from "../../defaulting/fill.ts";
import type { KindStrategy } from "../../strategy.ts";
import { accessModes, className, phaseOf } from "../storage-cells.ts";
import { claimQuota } from "./quota.ts";
import { checkChangedClaim } from "./update.ts";

/** PersistentVolumeClaims: the spec is immutable, except for the volume, the class and larger requests; see `update.ts`. */
export const persistentVolumeClaimStrategy: KindStrategy = {
  group: "",
  plural: "persistentvolumeclaims",
  returnsDeletedObject: true,
  defaults: {
    "core.v1.PersistentVolumeClaim": { rule: defaultPhase("Pending") },
    "core.v1.PersistentVolumeClaimSpec": { values: { volumeMode: "Filesystem" } },
  },
  prepareForCreate: prepareNewClaim,
  validate: (claim) => checkClaimSpec(claim.at("spec")),
  validateUpdate: checkChangedClaim,
  protectionFinalizer: "kubernetes.io/pvc-protection",
  quota: claimQuota,
  table: { cells: claimCells },
};

function prepareNewClaim(object: JsonRecord): void {
  object["status"] = { phase: "Pending" };
  const spec = partOf(object, "spec");
  // `dataSourceRef` supersedes `dataSource`: each is copied to the other when both can express the value.
  const [source, ref] = [spec["dataSource"], spec["dataSourceRef"]];
  if (isRecord(source) && !isRecord(ref)) spec["dataSourceRef"] = deepClone(source);
  else if (isRecord(ref) && !isRecord(source) && textAt(ref, "namespace") === "") spec["dataSource"] = deepClone(ref);
}

function claimCells(object: unknown, nowMs: number): unknown[] {
  const volume = textAt(object, "spec", "volumeName");
  return [
    nameOf(object),
    phaseOf(object),
    volume,
    volume === "" ? "" : quantityText(valueAt(object, "status", "capacity", "storage")),
    volume === "" ? "" : accessModes(listAt(object, "status", "accessModes")),
    className(object),
    setOr(object, ["spec", "volumeAttributesClassName"], "<unset>"),
    age(object, nowMs),
    setOr(object, ["spec", "volumeMode"], "<unset>"),
  ];
}
