import type { KindStrategy } from "../../strategy.ts";

/** CSIStorageCapacities: an update must name the version that it replaces. */
export const csiStorageCapacityStrategy: KindStrategy = {
  group: "storage.k8s.io",
  plural: "csistoragecapacities",
  requiresVersionOnUpdate: true,
};
