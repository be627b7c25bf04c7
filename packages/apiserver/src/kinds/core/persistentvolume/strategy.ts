import { formatTime, isEqual, type JsonRecord } from "@homeostat/core";
import { isSet, listAt, textAt, valueAt } from "../../../values/fields.ts";
import { age, nameOf, quantityText, setOr } from "../../../tables/cell-text.ts";
import { defaultPhase } from "../../defaulting/defaults.ts";
import { partOf } from "../../defaulting/fill.ts";
import type { CreateContext, KindStrategy } from "../../strategy.ts";
import { accessModes, className, phaseOf } from "../storage-cells.ts";

/** PersistentVolumes: the server records the time of each phase change. */
export const persistentVolumeStrategy: KindStrategy = {
  group: "",
  plural: "persistentvolumes",
  returnsDeletedObject: true,
  defaults: {
    "core.v1.PersistentVolume": { rule: defaultPhase("Pending") },
    "core.v1.PersistentVolumeSpec": {
      values: { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" },
    },
    "core.v1.ISCSIPersistentVolumeSource": { values: { iscsiInterface: "default" } },
    "core.v1.RBDPersistentVolumeSource": { values: { pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" } },
    "core.v1.ScaleIOPersistentVolumeSource": { values: { storageMode: "ThinProvisioned", fsType: "xfs" } },
  },
  prepareForCreate: prepareNewVolume,
  status: { prepare: (volume, old, { nowMs }) => setPhaseTransitionTime(volume, old, nowMs) },
  protectionFinalizer: "kubernetes.io/pv-protection",
  table: { cells: volumeCells },
};

function prepareNewVolume(object: JsonRecord, { nowMs }: CreateContext): void {
  object["status"] = { phase: "Pending", lastPhaseTransitionTime: formatTime(nowMs) };
}

function setPhaseTransitionTime(volume: JsonRecord, old: JsonRecord, nowMs: number): void {
  const status = partOf(volume, "status");
  const before = valueAt(old, "status", "lastPhaseTransitionTime");
  const isSamePhase = textAt(old, "status", "phase") === textAt(status, "phase");
  const time = status["lastPhaseTransitionTime"];
  if (isSamePhase && time === undefined && before !== undefined) status["lastPhaseTransitionTime"] = before;
  else if (!isSamePhase && (time === undefined || isEqual(time, before)))
    status["lastPhaseTransitionTime"] = formatTime(nowMs);
}

function volumeCells(object: unknown, nowMs: number): unknown[] {
  const claim = valueAt(object, "spec", "claimRef");
  return [
    nameOf(object),
    quantityText(valueAt(object, "spec", "capacity", "storage")),
    accessModes(listAt(object, "spec", "accessModes")),
    textAt(object, "spec", "persistentVolumeReclaimPolicy"),
    phaseOf(object),
    isSet(claim) ? `${textAt(claim, "namespace")}/${textAt(claim, "name")}` : "",
    className(object),
    setOr(object, ["spec", "volumeAttributesClassName"], "<unset>"),
    textAt(object, "status", "reason"),
    age(object, nowMs),
    setOr(object, ["spec", "volumeMode"], "<unset>"),
  ];
}
