// The kinds
export {
  ChronikCluster,
  type ChronikClusterInput,
  type ClusterCondition,
  type ClusterSpec,
  type ClusterStatus,
} from "./api/chronik-cluster.ts";
export { ChronikNodeGroup, type ChronikNodeGroupInput } from "./api/chronik-node-group.ts";
export { type ConditionType, type Phase, type Reason, reasons } from "./api/status.ts";
export { annotations } from "./api/annotations.ts";
export { type Component, finalizer } from "./api/identity.ts";
export { labels } from "./api/labels.ts";
export { bootstrapServers, memberAddress, names, ports } from "./api/names.ts";
export { type GateName, restartGateNames } from "./decide/gates.ts";

// The operator
export type { ChronikSettings } from "./settings/settings.ts";
export { chronikOperator, type ChronikOperatorOptions } from "./operator.ts";
