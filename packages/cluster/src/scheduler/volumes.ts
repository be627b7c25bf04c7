import type { DeepReadonly } from "@homeostat/core";
import type { PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import type { StorageClass } from "@homeostat/kubernetes/storage/v1";
import { foreignClaim } from "../controllers/persistent-volume/ephemeral.ts";

/** Annotation that tells a provisioner on which node a claim will be used first. */
export const selectedNodeAnnotation = "volume.kubernetes.io/selected-node";

/** Access to claims and storage classes. */
export interface VolumeReader {
  claim(name: string): DeepReadonly<PersistentVolumeClaim> | undefined;
  storageClass(name: string): DeepReadonly<StorageClass> | undefined;
}

/** State of the volumes of a pod. */
export type VolumeState =
  /** All claims are bound, or there are none. */
  | { readonly type: "ready" }
  /** A problem that prevents scheduling on any node. */
  | { readonly type: "blocked"; readonly message: string }
  /** These claims are bound only after a node is selected (`WaitForFirstConsumer`). */
  | { readonly type: "waiting"; readonly claims: readonly DeepReadonly<PersistentVolumeClaim>[] };

/** Returns the state of the claims of a pod. */
export function volumeState(pod: DeepReadonly<Pod>, reader: VolumeReader): VolumeState {
  const waiting: DeepReadonly<PersistentVolumeClaim>[] = [];
  let hasUnbound = false;
  for (const { name, isEphemeral } of claimsOf(pod)) {
    const claim = reader.claim(name);
    if (claim === undefined) {
      const message = isEphemeral
        ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
        : `persistentvolumeclaim "${name}" not found`;
      return { type: "blocked", message };
    }
    if (claim.status?.phase === "Lost") {
      const volume = claim.spec?.volumeName ?? "";
      const message = `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${volume}"`;
      return { type: "blocked", message };
    }
    if (claim.metadata.deletionTimestamp !== undefined) {
      return { type: "blocked", message: `persistentvolumeclaim "${name}" is being deleted` };
    }
    const foreign = isEphemeral ? foreignClaim(pod, claim) : undefined;
    if (foreign !== undefined) return { type: "blocked", message: foreign };
    if (isBound(claim)) continue;
    if (isDelayed(claim, reader)) waiting.push(claim);
    else hasUnbound = true;
  }
  if (hasUnbound) return { type: "blocked", message: "pod has unbound immediate PersistentVolumeClaims" };
  return waiting.length === 0 ? { type: "ready" } : { type: "waiting", claims: waiting };
}

/** Returns the names of the claims of a pod, including those of ephemeral volumes. */
export function claimNames(pod: DeepReadonly<Pod>): readonly string[] {
  return claimsOf(pod).map(({ name }) => name);
}

interface ClaimUse {
  readonly name: string;
  /** True for the claim of a generic ephemeral volume. */
  readonly isEphemeral: boolean;
}

function claimsOf({ metadata, spec }: DeepReadonly<Pod>): readonly ClaimUse[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }): readonly ClaimUse[] => {
    if (persistentVolumeClaim !== undefined) return [{ name: persistentVolumeClaim.claimName, isEphemeral: false }];
    return ephemeral === undefined ? [] : [{ name: `${metadata.name}-${name}`, isEphemeral: true }];
  });
}

function isBound({ metadata, spec }: DeepReadonly<PersistentVolumeClaim>): boolean {
  const isComplete = Object.hasOwn(metadata.annotations ?? {}, "pv.kubernetes.io/bind-completed");
  return (spec?.volumeName ?? "") !== "" && isComplete;
}

function isDelayed({ spec }: DeepReadonly<PersistentVolumeClaim>, reader: VolumeReader): boolean {
  const name = spec?.storageClassName ?? "";
  return name !== "" && reader.storageClass(name)?.volumeBindingMode === "WaitForFirstConsumer";
}
