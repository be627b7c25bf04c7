// Cells shared by the Tables of volumes and claims.

import { isSet, textAt } from "../../values/fields.ts";

const modeWords = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

/** Returns access modes in their short form. */
export function accessModes(modes: readonly unknown[]): string {
  return modeWords
    .filter(([mode]) => modes.includes(mode))
    .map(([, word]) => word)
    .join(",");
}

/** Returns the phase, or `Terminating` during deletion. */
export function phaseOf(object: unknown): string {
  return isSet(object, "metadata", "deletionTimestamp") ? "Terminating" : textAt(object, "status", "phase");
}

/** Returns the storage class, which old clients set as an annotation. */
export function className(object: unknown): string {
  const old = "volume.beta.kubernetes.io/storage-class";
  return isSet(object, "metadata", "annotations", old)
    ? textAt(object, "metadata", "annotations", old)
    : textAt(object, "spec", "storageClassName");
}
