import {
  type DeepReadonly,
  labelSelectorFrom,
  parseQuantity,
  parseTime,
  type Quantity,
  quantityFromJSON,
} from "@homeostat/core";
import type { PersistentVolume, PersistentVolumeClaim } from "@homeostat/kubernetes/core/v1";
import type { StorageClass } from "@homeostat/kubernetes/storage/v1";

/** A claim as it is read. */
export type Claim = DeepReadonly<PersistentVolumeClaim>;
/** A volume as it is read. */
export type Volume = DeepReadonly<PersistentVolume>;
/** A class as it is read. */
export type Class = DeepReadonly<StorageClass>;

/** The annotations by which binders, provisioners and schedulers speak with each other. */
export const note = {
  bindCompleted: "pv.kubernetes.io/bind-completed",
  boundByController: "pv.kubernetes.io/bound-by-controller",
  provisionedBy: "pv.kubernetes.io/provisioned-by",
  provisioner: "volume.kubernetes.io/storage-provisioner",
  betaProvisioner: "volume.beta.kubernetes.io/storage-provisioner",
  selectedNode: "volume.kubernetes.io/selected-node",
  betaClass: "volume.beta.kubernetes.io/storage-class",
  defaultClass: "storageclass.kubernetes.io/is-default-class",
  betaDefaultClass: "storageclass.beta.kubernetes.io/is-default-class",
} as const;

/** Whether an object carries an annotation, whatever its value. */
export function hasNote({ metadata }: Claim | Volume, key: string): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, key);
}

/** The name of the class of a claim or a volume; empty when it has none. */
export function classOf({ metadata, spec }: Claim | Volume): string {
  return metadata.annotations?.[note.betaClass] ?? spec?.storageClassName ?? "";
}

/** Whether a claim says anything about its class; that it wants none counts. */
export function hasClass({ metadata, spec }: Claim): boolean {
  return metadata.annotations?.[note.betaClass] !== undefined || spec?.storageClassName !== undefined;
}

/** The class for claims that name none: of several the newest. */
export function defaultClass(classes: readonly Class[]): Class | undefined {
  const isDefault = ({ metadata: { annotations = {} } }: Class): boolean =>
    annotations[note.defaultClass] === "true" || annotations[note.betaDefaultClass] === "true";
  const age = ({ metadata }: Class): number => parseTime(metadata.creationTimestamp ?? "1970-01-01T00:00:00Z");
  const newestFirst = (a: Class, b: Class): number =>
    age(b) - age(a) || ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1);
  return classes.filter(isDefault).sort(newestFirst)[0];
}

/** Whether a volume is meant for a claim, by name and, if it says one, by uid. */
export function isMeantFor({ spec }: Volume, { metadata: { name, namespace, uid } }: Claim): boolean {
  const reference = spec?.claimRef;
  if (reference === undefined || reference.name !== name || reference.namespace !== namespace) return false;
  return (reference.uid ?? "") === "" || reference.uid === uid;
}

/** The smallest volume that a claim can have; undefined when there is none. `isDelayed`: only one that is meant for it. */
export function findVolume(
  claim: Claim,
  volumes: readonly Volume[],
  { isDelayed }: { readonly isDelayed: boolean },
): Volume | undefined {
  const selector = claim.spec?.selector === undefined ? undefined : labelSelectorFrom(claim.spec.selector);
  const fitting = volumes.filter(
    (volume) =>
      (volume.spec?.claimRef === undefined || isMeantFor(volume, claim)) &&
      volume.metadata.deletionTimestamp === undefined &&
      hasModes(volume, claim) &&
      isLargeEnough(volume, claim) &&
      modeOf(volume) === modeOf(claim) &&
      attributesOf(volume) === attributesOf(claim),
  );
  const meant = fitting.find((volume) => isMeantFor(volume, claim));
  if (meant !== undefined || isDelayed) return meant;
  return fitting
    .filter(
      (volume) =>
        volume.status?.phase === "Available" &&
        classOf(volume) === classOf(claim) &&
        selector?.matches(volume.metadata.labels) !== false,
    )
    .sort(byModesThenSize)[0];
}

/** Why a volume cannot serve a claim; undefined when it can. */
export function mismatch(volume: Volume, claim: Claim): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined)
    return `the volume is marked for deletion "${volume.metadata.name}"`;
  if (!isLargeEnough(volume, claim)) return "requested PV is too small";
  if (classOf(volume) !== classOf(claim)) return "storageClassName does not match";
  if (attributesOf(volume) !== attributesOf(claim)) return "volumeAttributesClassName does not match";
  if (modeOf(volume) !== modeOf(claim)) return "incompatible volumeMode";
  return hasModes(volume, claim) ? undefined : "incompatible accessMode";
}

/** How much a claim asks for. */
export function requestOf({ spec }: Claim): Quantity {
  return quantityFromJSON(spec?.resources?.requests?.["storage"] ?? "0");
}

/** How much a volume holds. */
export function capacityOf({ spec }: Volume): Quantity {
  return parseQuantity(String(spec?.capacity?.["storage"] ?? "0"));
}

function isLargeEnough(volume: Volume, claim: Claim): boolean {
  return !capacityOf(volume).isLessThan(requestOf(claim));
}

function hasModes(volume: Volume, claim: Claim): boolean {
  const modes = volume.spec?.accessModes ?? [];
  return (claim.spec?.accessModes ?? []).every((mode) => modes.includes(mode));
}

/** Whether it is a file system or a block device, the first unless it says otherwise. */
export function modeOf({ spec }: Claim | Volume): string {
  return spec?.volumeMode ?? "Filesystem";
}

function attributesOf({ spec }: Claim | Volume): string {
  return spec?.volumeAttributesClassName ?? "";
}

/** Volumes that can do less come first, and of those the smaller ones. */
function byModesThenSize(a: Volume, b: Volume): number {
  const modes = (a.spec?.accessModes ?? []).length - (b.spec?.accessModes ?? []).length;
  return modes || capacityOf(a).compareTo(capacityOf(b));
}
