import type { DeepReadonly } from "@homeostat/core";
import type { StorageClass } from "@homeostat/kubernetes/storage/v1";
import { note } from "./volumes.ts";

/** The provisioner that makes simulated volumes, unless it is given another name. */
export const simulatedProvisionerName = "simulated.homeostat.dev";

/** The class of claims that name none, in a cluster whose volumes are simulated. Make it once, when a cluster begins. */
export const simulatedStorageClass: DeepReadonly<StorageClass> = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "standard", annotations: { [note.defaultClass]: "true" } },
  provisioner: simulatedProvisionerName,
  reclaimPolicy: "Delete",
  volumeBindingMode: "Immediate",
  allowVolumeExpansion: true,
};
