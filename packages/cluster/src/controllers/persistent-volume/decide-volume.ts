import type { ComponentEvent } from "../common/component-events.ts";
import { type Claim, hasNote, modeOf, note, type Volume } from "./volumes.ts";

/** What is to be done about a volume. */
export type VolumeStep =
  | { readonly type: "phase"; readonly phase: "Available" | "Bound" }
  /** Its claim is gone. What becomes of it is said by its policy. */
  | { readonly type: "release" }
  /** Its claim has another volume. */
  | { readonly type: "unbind" }
  /** Its claim should look at it. */
  | { readonly type: "wake-claim" }
  /** The two do not go together. */
  | { readonly type: "mismatch"; readonly forVolume: ComponentEvent; readonly forClaim: ComponentEvent };

/** Decides about a volume. `claim`: the one with the name that the volume gives. */
export function decideVolume(volume: Volume, claim: Claim | undefined): VolumeStep {
  const reference = volume.spec?.claimRef;
  if (reference === undefined || (reference.uid ?? "") === "") return { type: "phase", phase: "Available" };
  if (claim === undefined || claim.metadata.uid !== reference.uid) return { type: "release" };
  const chosen = claim.spec?.volumeName ?? "";
  if (chosen === volume.metadata.name) return { type: "phase", phase: "Bound" };
  if (chosen === "") return modeOf(claim) === modeOf(volume) ? { type: "wake-claim" } : mismatched(volume, claim);
  const isMade = hasNote(volume, note.provisionedBy);
  return isMade && volume.spec?.persistentVolumeReclaimPolicy === "Delete" ? { type: "release" } : { type: "unbind" };
}

/** The volume without its claim: as if it never had one, or as its maker has reserved it. */
export function unbound(volume: Volume): Volume {
  const { claimRef, ...spec } = volume.spec ?? {};
  if (!hasNote(volume, note.boundByController)) {
    const { uid: _, ...reserved } = claimRef ?? {};
    return { ...volume, spec: { ...spec, claimRef: reserved } };
  }
  const { [note.boundByController]: _, ...annotations } = volume.metadata.annotations ?? {};
  return { ...volume, metadata: { ...volume.metadata, annotations }, spec };
}

/** What becomes of a volume that is released. */
export type Fate =
  /** It stays, or somebody else deletes it. */
  | { readonly type: "keep" }
  | { readonly type: "delete" }
  /** It should go, and nobody knows how. */
  | { readonly type: "failed"; readonly event: ComponentEvent };

/** What becomes of a volume that is released: its policy says so, and who made it. */
export function reclaim(volume: Volume): Fate {
  const { persistentVolumeReclaimPolicy: policy, csi, hostPath } = volume.spec ?? {};
  const maker = volume.metadata.annotations?.[note.provisionedBy] ?? "";
  const isForeign = csi !== undefined || (maker !== "" && !maker.startsWith("kubernetes.io/"));
  if (policy !== "Delete" || isForeign) return { type: "keep" };
  if (hostPath === undefined) {
    const problem = "no deletable volume plugin matched";
    return failed(`error getting deleter volume plugin for volume "${volume.metadata.name}": ${problem}`);
  }
  if (/^\/tmp\/.+/.test(hostPath.path)) return { type: "delete" };
  return failed(`host_path deleter only supports /tmp/.+ but received provided ${hostPath.path}`);
}

function failed(message: string): Fate {
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
