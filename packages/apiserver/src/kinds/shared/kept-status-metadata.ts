import type { StatusStrategy } from "../strategy.ts";

/** Status strategy of kinds whose status writes leave all metadata as it is stored. */
export const keptStatusMetadata: StatusStrategy = {
  keptMetadata: ["labels", "annotations", "finalizers", "ownerReferences"],
  resetFields: [["metadata"], ["spec"]],
};
