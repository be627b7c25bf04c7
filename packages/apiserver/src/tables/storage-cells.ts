import { isSet, listAt, numberAt, textAt, valueAt } from "./read.ts";
import { age, nameOf, orWord, quantityText, setOr } from "./words.ts";

const modeWords = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

function accessModes(modes: readonly unknown[]): string {
  return modeWords
    .filter(([mode]) => modes.includes(mode))
    .map(([, word]) => word)
    .join(",");
}

function phaseOf(object: unknown): string {
  return isSet(object, "metadata", "deletionTimestamp") ? "Terminating" : textAt(object, "status", "phase");
}

function className(object: unknown): string {
  const old = "volume.beta.kubernetes.io/storage-class";
  return isSet(object, "metadata", "annotations", old)
    ? textAt(object, "metadata", "annotations", old)
    : textAt(object, "spec", "storageClassName");
}

/** The cells of a claim. */
export function claimCells(object: unknown, nowMs: number): unknown[] {
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

/** The cells of a volume. */
export function volumeCells(object: unknown, nowMs: number): unknown[] {
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

/** The cells of a storage class. */
export function storageClassCells(object: unknown, nowMs: number): unknown[] {
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

/** The cells of a CSI driver. */
export function csiDriverCells(object: unknown, nowMs: number): unknown[] {
  const isTrue = (field: string): boolean => valueAt(object, "spec", field) === true;
  return [
    nameOf(object),
    valueAt(object, "spec", "attachRequired") !== false,
    isTrue("podInfoOnMount"),
    isTrue("storageCapacity"),
    isSet(object, "spec", "tokenRequests")
      ? listAt(object, "spec", "tokenRequests")
          .map((request) => textAt(request, "audience"))
          .join(",")
      : "<unset>",
    isTrue("requiresRepublish"),
    orWord(listAt(object, "spec", "volumeLifecycleModes").join(","), "<none>"),
    age(object, nowMs),
  ];
}

/** The cells of a CSI node. */
export function csiNodeCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), listAt(object, "spec", "drivers").length, age(object, nowMs)];
}

/** The cells of an attachment. */
export function attachmentCells(object: unknown, nowMs: number): unknown[] {
  return [
    nameOf(object),
    textAt(object, "spec", "attacher"),
    textAt(object, "spec", "source", "persistentVolumeName"),
    textAt(object, "spec", "nodeName"),
    valueAt(object, "status", "attached") === true,
    age(object, nowMs),
  ];
}

/** The cells of an attributes class. */
export function attributesClassCells(object: unknown, nowMs: number): unknown[] {
  return [nameOf(object), textAt(object, "driverName"), age(object, nowMs)];
}

/** The cells of a priority class. */
export function priorityClassCells(object: unknown, nowMs: number): unknown[] {
  return [
    nameOf(object),
    numberAt(object, "value"),
    valueAt(object, "globalDefault") === true,
    age(object, nowMs),
    textAt(object, "preemptionPolicy"),
  ];
}

/** The cells of a claim of devices. */
export function deviceClaimCells(object: unknown, nowMs: number): unknown[] {
  const isGoing = isSet(object, "metadata", "deletionTimestamp");
  const isAllocated = isSet(object, "status", "allocation");
  const isReserved = isAllocated && listAt(object, "status", "reservedFor").length > 0;
  const states = [
    ...(isGoing ? ["deleted"] : []),
    ...(isAllocated ? ["allocated"] : isGoing ? [] : ["pending"]),
    ...(isReserved ? ["reserved"] : []),
  ];
  return [nameOf(object), states.join(","), age(object, nowMs)];
}

/** The cells of the devices that a driver offers. */
export function deviceSliceCells(object: unknown, nowMs: number): unknown[] {
  const { node, driver, pool } = {
    node: textAt(object, "spec", "nodeName"),
    driver: textAt(object, "spec", "driver"),
    pool: textAt(object, "spec", "pool", "name"),
  };
  return [nameOf(object), node, driver, pool, age(object, nowMs)];
}
