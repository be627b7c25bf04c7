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

export type Claim = DeepReadonly<PersistentVolumeClaim>;
export type Volume = DeepReadonly<PersistentVolume>;
export type Class = DeepReadonly<StorageClass>;

/** Annotations that binder, provisioners and scheduler exchange. */
export const annotation = {
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

/** Reports whether an object has an annotation, with any value. */
export function hasAnnotation({ metadata }: Claim | Volume, key: string): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, key);
}

/** Returns the storage class name of a claim or volume; empty when it has none. */
export function classOf({ metadata, spec }: Claim | Volume): string {
  return metadata.annotations?.[annotation.betaClass] ?? spec?.storageClassName ?? "";
}

/** Reports whether a claim names a storage class. An empty name counts: it disables dynamic provisioning. */
export function hasClass({ metadata, spec }: Claim): boolean {
  return metadata.annotations?.[annotation.betaClass] !== undefined || spec?.storageClassName !== undefined;
}

/** Returns the default storage class; the newest when there are several. */
export function defaultClass(classes: readonly Class[]): Class | undefined {
  const isDefault = ({ metadata: { annotations = {} } }: Class): boolean =>
    annotations[annotation.defaultClass] === "true" || annotations[annotation.betaDefaultClass] === "true";
  const age = ({ metadata }: Class): number => parseTime(metadata.creationTimestamp ?? "1970-01-01T00:00:00Z");
  const newestFirst = (a: Class, b: Class): number =>
    age(b) - age(a) || ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1);
  return classes.filter(isDefault).sort(newestFirst)[0];
}

/** Reports whether a volume is reserved for a claim by name and, if the reference has one, by uid. */
export function isReservedFor({ spec }: Volume, { metadata: { name, namespace, uid } }: Claim): boolean {
  const reference = spec?.claimRef;
  if (reference === undefined || reference.name !== name || reference.namespace !== namespace) return false;
  return (reference.uid ?? "") === "" || reference.uid === uid;
}

/**
 * Returns the smallest volume that fits a claim; undefined when there is none. With `isDelayed`
 * (`WaitForFirstConsumer`) only a volume reserved for it.
 */
export function findVolume(
  claim: Claim,
  volumes: readonly Volume[],
  { isDelayed }: { readonly isDelayed: boolean },
): Volume | undefined {
  const selector = claim.spec?.selector === undefined ? undefined : labelSelectorFrom(claim.spec.selector);
  const fitting = volumes.filter(
    (volume) =>
      (volume.spec?.claimRef === undefined || isReservedFor(volume, claim)) &&
      volume.metadata.deletionTimestamp === undefined &&
      hasModes(volume, claim) &&
      isLargeEnough(volume, claim) &&
      modeOf(volume) === modeOf(claim) &&
      attributesOf(volume) === attributesOf(claim),
  );
  const reserved = fitting.find((volume) => isReservedFor(volume, claim));
  if (reserved !== undefined || isDelayed) return reserved;
  return fitting
    .filter(
      (volume) =>
        volume.status?.phase === "Available" &&
        classOf(volume) === classOf(claim) &&
        selector?.matches(volume.metadata.labels) !== false,
    )
    .sort(byModesThenSize)[0];
}

/** Returns why a volume does not fit a claim; undefined when it fits. */
export function mismatch(volume: Volume, claim: Claim): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined)
    return `the volume is marked for deletion "${volume.metadata.name}"`;
  if (!isLargeEnough(volume, claim)) return "requested PV is too small";
  if (classOf(volume) !== classOf(claim)) return "storageClassName does not match";
  if (attributesOf(volume) !== attributesOf(claim)) return "volumeAttributesClassName does not match";
  if (modeOf(volume) !== modeOf(claim)) return "incompatible volumeMode";
  return hasModes(volume, claim) ? undefined : "incompatible accessMode";
}

/** Returns the storage that a claim requests. */
export function requestOf({ spec }: Claim): Quantity {
  return quantityFromJSON(spec?.resources?.requests?.["storage"] ?? "0");
}

/** Returns the capacity of a volume. */
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

/** Returns the volume mode. Default: `Filesystem`. */
export function modeOf({ spec }: Claim | Volume): string {
  return spec?.volumeMode ?? "Filesystem";
}

function attributesOf({ spec }: Claim | Volume): string {
  return spec?.volumeAttributesClassName ?? "";
}

/** Compares volumes: fewer access modes first, then smaller ones, so that a claim does not take more than it needs. */
function byModesThenSize(a: Volume, b: Volume): number {
  const modes = (a.spec?.accessModes ?? []).length - (b.spec?.accessModes ?? []).length;
  return modes || capacityOf(a).compareTo(capacityOf(b));
}
