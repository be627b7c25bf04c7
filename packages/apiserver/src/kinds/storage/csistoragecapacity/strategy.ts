import type { KindStrategy } from "../../strategy.ts";

/** CSIStorageCapacities. */
export const csiStorageCapacityStrategy: KindStrategy = {
  group: "storage.k8s.io",
  plural: "csistoragecapacities",
  requiresVersionOnUpdate: true,
};
