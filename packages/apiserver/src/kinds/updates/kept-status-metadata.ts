import type { StatusStrategy } from "../strategy.ts";

/** Status strategy of kinds whose status writes do not change metadata. */
export const keptStatusMetadata: StatusStrategy = {
  keptMetadata: ["labels", "annotations", "finalizers", "ownerReferences"],
  resetFields: [["metadata"], ["spec"]],
};
