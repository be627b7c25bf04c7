// The controllers of the cluster itself
export { clusterControllers } from "./controllers/cluster.ts";
export type { ClusterControllerParts } from "./controllers/cluster.ts";
export type { ControlLoop } from "./controllers/common/parts.ts";

// The controllers of workloads
export { workloadControllers } from "./controllers/workloads.ts";
export type { WorkloadControllerParts } from "./controllers/workloads.ts";
