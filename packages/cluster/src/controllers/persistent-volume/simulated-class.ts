import type { DeepReadonly } from "@homeostat/core";
import type { StorageClass } from "@homeostat/kubernetes/storage/v1";
import { annotation } from "./volumes.ts";

/** Default name of the provisioner of simulated volumes. */
export const simulatedProvisionerName = "simulated.homeostat.dev";

/** The default storage class of a cluster with simulated volumes. Create it once, when the cluster is created. */
export const simulatedStorageClass: DeepReadonly<StorageClass> = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "standard", annotations: { [annotation.defaultClass]: "true" } },
  provisioner: simulatedProvisionerName,
  reclaimPolicy: "Delete",
  volumeBindingMode: "Immediate",
  allowVolumeExpansion: true,
};
