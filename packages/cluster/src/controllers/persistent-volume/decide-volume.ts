import type { CoreEvent } from "../../events/core-events.ts";
import { type Claim, hasAnnotation, modeOf, annotation, type Volume } from "./volumes.ts";

/** The next step for a volume. */
export type VolumeStep =
  | { readonly type: "phase"; readonly phase: "Available" | "Bound" }
  /** The claim is deleted: apply the reclaim policy. */
  | { readonly type: "release" }
  /** The claim is bound to another volume. */
  | { readonly type: "unbind" }
  /** Queue the claim, which completes the binding. */
  | { readonly type: "queue-claim" }
  /** Volume mode of claim and volume differ. */
  | { readonly type: "mismatch"; readonly forVolume: CoreEvent; readonly forClaim: CoreEvent };

/** Decides the next step for a volume (`syncVolume`). `claim` is the claim with the name in the volume's `claimRef`. */
export function decideVolume(volume: Volume, claim: Claim | undefined): VolumeStep {
  const reference = volume.spec?.claimRef;
  if (reference === undefined || (reference.uid ?? "") === "") return { type: "phase", phase: "Available" };
  if (claim === undefined || claim.metadata.uid !== reference.uid) return { type: "release" };
  const chosen = claim.spec?.volumeName ?? "";
  if (chosen === volume.metadata.name) return { type: "phase", phase: "Bound" };
  if (chosen === "") return modeOf(claim) === modeOf(volume) ? { type: "queue-claim" } : mismatched(volume, claim);
  const isMade = hasAnnotation(volume, annotation.provisionedBy);
  return isMade && volume.spec?.persistentVolumeReclaimPolicy === "Delete" ? { type: "release" } : { type: "unbind" };
}

/** Returns the volume without its claim. A reservation made by an administrator is kept, without the uid. */
export function unbound(volume: Volume): Volume {
  const { claimRef, ...spec } = volume.spec ?? {};
  if (!hasAnnotation(volume, annotation.boundByController)) {
    const { uid: _, ...reserved } = claimRef ?? {};
    return { ...volume, spec: { ...spec, claimRef: reserved } };
  }
  const { [annotation.boundByController]: _, ...annotations } = volume.metadata.annotations ?? {};
  return { ...volume, metadata: { ...volume.metadata, annotations }, spec };
}

/** The decision about a released volume. */
export type ReclaimDecision =
  /** Keep it: the policy says so, or its external provisioner deletes it. */
  | { readonly type: "keep" }
  | { readonly type: "delete" }
  /** The policy is Delete, but no plugin can delete it. */
  | { readonly type: "failed"; readonly event: CoreEvent };

/** Decides about a released volume by its reclaim policy and its provisioner. */
export function reclaim(volume: Volume): ReclaimDecision {
  const { persistentVolumeReclaimPolicy: policy, csi, hostPath } = volume.spec ?? {};
  const maker = volume.metadata.annotations?.[annotation.provisionedBy] ?? "";
  const isForeign = csi !== undefined || (maker !== "" && !maker.startsWith("kubernetes.io/"));
  if (policy !== "Delete" || isForeign) return { type: "keep" };
  if (hostPath === undefined) {
    const problem = "no deletable volume plugin matched";
    return failed(`error getting deleter volume plugin for volume "${volume.metadata.name}": ${problem}`);
  }
  if (/^\/tmp\/.+/.test(hostPath.path)) return { type: "delete" };
  return failed(`host_path deleter only supports /tmp/.+ but received provided ${hostPath.path}`);
}

function failed(message: string): ReclaimDecision {
  return { type: "failed", event: { type: "Warning", reason: "VolumeFailedDelete", message } };
}

function mismatched(volume: Volume, claim: Claim): VolumeStep {
  const reason = "VolumeMismatch";
  const why = "due to incompatible volumeMode.";
  const toClaim = `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata.name}" ${why}`;
  const toVolume = `Cannot bind PersistentVolume "${volume.metadata.name}" to requested PersistentVolumeClaim ${why}`;
  return {
    type: "mismatch",
    forVolume: { type: "Warning", reason, message: toClaim },
    forClaim: { type: "Warning", reason, message: toVolume },
  };
}
