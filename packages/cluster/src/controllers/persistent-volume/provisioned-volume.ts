import { type DeepReadonly, quantityFromJSON } from "@homeostat/core";
import type { PersistentVolume } from "@homeostat/kubernetes/core/v1";
import { type Claim, type Class, classOf, requestOf, type Volume } from "./volumes.ts";
import { annotation } from "./volumes.ts";

/** Reports whether a volume must be provisioned for a claim: it has none, and none was provisioned before. */
export function needsVolume({ metadata, spec }: Claim, volumes: readonly Volume[]): boolean {
  if (metadata.deletionTimestamp !== undefined || (spec?.volumeName ?? "") !== "") return false;
  return !volumes.some((volume) => volume.metadata.name === volumeName(metadata.uid));
}

/** Builds the volume that a CSI driver provisions for a claim. */
export function provisionedVolume(claim: Claim, storageClass: Class): DeepReadonly<PersistentVolume> {
  const { name = "", namespace = "", uid = "", resourceVersion = "" } = claim.metadata;
  const { accessModes, volumeMode, resources, volumeAttributesClassName } = claim.spec ?? {};
  const { provisioner, reclaimPolicy = "Delete", mountOptions } = storageClass;
  const volume = volumeName(uid);
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: volume, annotations: { [annotation.provisionedBy]: provisioner } },
    spec: {
      capacity: { storage: resources?.requests?.["storage"] ?? "0" },
      ...(accessModes === undefined ? {} : { accessModes }),
      ...(volumeMode === undefined ? {} : { volumeMode }),
      ...(mountOptions === undefined ? {} : { mountOptions }),
      ...(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid, resourceVersion },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: classOf(claim),
      csi: { driver: provisioner, volumeHandle: volume },
    },
  };
}

/** Returns the size a bound claim requests if it is larger than its capacity; undefined otherwise. */
export function requestedSize(claim: Claim, volume: Volume): string | undefined {
  if (claim.status?.phase !== "Bound" || volume.metadata.name !== claim.spec?.volumeName) return undefined;
  const held = quantityFromJSON(claim.status.capacity?.["storage"] ?? "0");
  const requested = requestOf(claim);
  return held.isLessThan(requested) ? requested.toString() : undefined;
}

export function volumeName(uid: string | undefined): string {
  return `pvc-${uid}`;
}
