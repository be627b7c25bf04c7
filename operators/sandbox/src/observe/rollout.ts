import type { ResourceType } from "@homeostat/core";

/** The kind Rollout of Argo Rollouts, of which only the pod template is read. */
export const Rollout: ResourceType = {
  group: "argoproj.io",
  version: "v1alpha1",
  kind: "Rollout",
  plural: "rollouts",
  scope: "Namespaced",
};
