// Names that the tests, benchmarks and tools of this repository need. They are not part of the public API and have no
// compatibility promise: they may change or disappear in any release.

// Controllers of the cluster itself
export { clusterControllers } from "./controllers/cluster.ts";
export type { ControlLoop } from "./controllers/common/parts.ts";

// Workload controllers and scheduler
export { workloadControllers } from "./controllers/workloads.ts";
export { scheduler } from "./scheduler/scheduler.ts";
