// A cluster whose time a test moves, and operators on it
export {
  CrashingTransport,
  type CrashPoint,
  type Fault,
  isAccessReview,
  type RequestHooks,
  type SentRequest,
} from "./cluster/crashing-transport.ts";
export { type ClockSkew, clockSkews, clockToleranceMs } from "./cluster/clock-skews.ts";
export { eventually } from "./cluster/eventually.ts";
export { freePorts } from "@homeostat/http";
export { grant, type Right } from "./cluster/grant.ts";
export { runningStatus } from "./cluster/running-status.ts";
export {
  type ClusterWithClock,
  conditionOf,
  type Pace,
  type RunningOperator,
  type RunPlan,
  startClusterWithClock,
  TestCluster,
  type TestClusterOptions,
} from "./cluster/test-cluster.ts";

// Crash points
export { CrashRun, type FinishedRun, type Settling } from "./crash/crash-run.ts";
export { type CrashCheck, type CrashScenario, checkCrashScenario } from "./crash/crash-scenario.ts";
export { type CrashSuite, describeCrashes } from "./crash/describe-crashes.ts";
export {
  afterEveryChange,
  afterEveryNthChange,
  afterSomeChanges,
  beforeAndAfterEveryRequest,
  chosenSelection,
  type PointSelection,
  type PointSelections,
  type RecordedRun,
  type ScenarioPosition,
} from "./crash/points.ts";

// Golden files
export { assertGolden, assertNoOtherGolden } from "./golden/golden.ts";

// Documentation
export { describeDocs, type OperatorDocs } from "./docs/describe-docs.ts";
export type { FieldReference } from "./docs/field-references.ts";

// Installation
export { applyManifests } from "@homeostat/testing";
export { describePermissions, type PermissionSuite } from "./install/describe-permissions.ts";
export { describeMonitoring, type MonitoringSuite } from "./install/describe-monitoring.ts";
export { describeSamples, type SampleSuite } from "./install/describe-samples.ts";
export { type InstalledOperator, installOperator } from "./install/installed-operator.ts";
