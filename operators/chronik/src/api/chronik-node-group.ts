import { defineResource, type InputOf, type ObjectOf, s } from "homeostat";
import { ageColumn } from "@homeostat/schema";
import { components, group, version } from "./identity.ts";

/**
 * The scale target of the autoscaler of one component. The operator creates it with the current number of members and never
 * writes `spec.replicas` again; autoscalers change it and the operator follows.
 */
export const ChronikNodeGroup = defineResource({
  group,
  version,
  kind: "ChronikNodeGroup",
  shortNames: ["ckng"],
  categories: ["chronik"],
  // The golden files check it. The operator itself only applies defaults.
  schemaChecks: "deferred",
  description: "ChronikNodeGroup is the scale target of the autoscaler of one component of a ChronikCluster.",
  spec: {
    clusterName: s.string().min(1).max(253),
    component: s.enum(...components),
    replicas: s.int().min(0).max(500).describe("Number of members that the autoscaler requests."),
  },
  status: {
    replicas: s.int().min(0).default(0).describe("Number of members that exist."),
    readyReplicas: s.int().min(0).default(0),
    effectiveReplicas: s.int().min(0).default(0).describe("Number of members that the operator scales to."),
    selector: s.string().max(512).optional().describe("Label selector of the pods."),
  },
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  },
  columns: [
    { name: "Cluster", jsonPath: ".spec.clusterName" },
    { name: "Component", jsonPath: ".spec.component" },
    { name: "Desired", jsonPath: ".spec.replicas" },
    { name: "Effective", jsonPath: ".status.effectiveReplicas" },
    { name: "Ready", jsonPath: ".status.readyReplicas" },
    ageColumn,
  ],
});

/** A ChronikNodeGroup as it is read. */
export type ChronikNodeGroup = ObjectOf<typeof ChronikNodeGroup>;
/** A ChronikNodeGroup as it may be written. */
export type ChronikNodeGroupInput = InputOf<typeof ChronikNodeGroup>;
