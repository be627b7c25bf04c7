// A cluster whose time a test moves, and operators on it
export {
  CrashingTransport,
  type CrashPoint,
  type Fault,
  isAccessReview,
  type RequestHooks,
  type SentRequest,
} from "./cluster/crashing-transport.ts";
export { eventually } from "./cluster/eventually.ts";
export { grant, type Right } from "./cluster/grant.ts";
export {
  type ClusterWithClock,
  type Pace,
  type RunningOperator,
  type RunPlan,
  startClusterWithClock,
  TestCluster,
  type TestClusterOptions,
} from "./cluster/test-cluster.ts";
