// Whole cluster
export { startCluster } from "./start/start-cluster.ts";
export type { Cluster, ClusterNodeOptions, ClusterOptions, ServiceName } from "./start/start-cluster.ts";

// Metrics
export { ClusterMetrics } from "./metrics/cluster-metrics.ts";
export type {
  ContainerUsage,
  ExternalSeries,
  MetricObject,
  MetricPods,
  ResourceUsage,
} from "./metrics/cluster-metrics.ts";

// Simulated node
export { Disks, type VolumeFiles } from "./node/disks.ts";
export { startNode } from "./start/start-node.ts";
export type { NodeOptions, SimulatedNode } from "./start/start-node.ts";
export { Network } from "./node/network.ts";
export type { LocalAddress, PodEndpoint, ServiceDirectory, ServiceEndpoint, ServiceView } from "./node/network.ts";
export type { NodeDelays } from "./node/machine-step.ts";
export { PodLogError } from "./node/pod-logs.ts";
export type { PodLogOptions } from "./node/pod-logs.ts";
export { scriptAnnotation } from "./node/script.ts";
export type { ImageScript, Script } from "./node/script.ts";

// Programs of containers; helpers for app models are in `@homeostat/cluster/app-model`
export type { AppModel, CommandResult, ProbeTarget, ProgramContext, RunningProgram } from "./node/program.ts";
export type { Exit } from "./node/exit.ts";
