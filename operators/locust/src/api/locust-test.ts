import {
  type ConditionReasonOf,
  type ConditionTypeOf,
  type DeepReadonly,
  defineResource,
  type InputOf,
  type ObjectOf,
} from "homeostat";
import { ageColumn } from "@homeostat/schema";
import { v2Spec } from "./spec.ts";
import { v2Status } from "./status.ts";
import { v1Spec, v1Status } from "./v1.ts";

/** The kind LocustTest in v2, the storage version. `LocustTest.versions.v1` is the deprecated version. */
export const LocustTest = defineResource({
  group: "locust.io",
  kind: "LocustTest",
  shortNames: ["lotest"],
  versions: {
    v1: {
      description: "LocustTest is a load test. Deprecated: use locust.io/v2.",
      deprecated: true,
      deprecationWarning: "locust.io/v1 LocustTest is deprecated, migrate to locust.io/v2",
      spec: v1Spec,
      status: v1Status,
      columns: [
        { name: "master_cmd", jsonPath: ".spec.masterCommandSeed", description: "Master pod command seed" },
        {
          name: "worker_replica_count",
          jsonPath: ".spec.workerReplicas",
          description: "Number of requested worker pods",
        },
        { name: "Image", jsonPath: ".spec.image", description: "Locust image" },
        ageColumn,
      ],
    },
    v2: {
      description: "LocustTest is a load test that a Locust master and its workers run.",
      storage: true,
      spec: v2Spec,
      status: v2Status,
      conditions: {
        Ready: ["ResourcesCreating", "ResourcesCreated", "ResourcesFailed"],
        WorkersConnected: ["WaitingForWorkers", "AllWorkersConnected", "WorkersMissing"],
        TestCompleted: [
          "TestInProgress",
          "TestSucceeded",
          "TestFailed",
          "ThresholdsFailed",
          "TestAborted",
          "ResultUnavailable",
          "DeadlineExceeded",
        ],
        PodsHealthy: [
          "PodsStarting",
          "PodsHealthy",
          "ImagePullError",
          "ConfigurationError",
          "SchedulingError",
          "CrashLoopBackOff",
          "InitializationError",
        ],
        SpecDrifted: ["SpecChangeIgnored"],
        LiveStats: ["Streaming", "WaitingForMaster", "WebUIDisabled", "AuthRequired", "Unreachable", "Disabled"],
      },
      columns: [
        { name: "Phase", jsonPath: ".status.phase", description: "Current test phase" },
        { name: "Workers", jsonPath: ".spec.worker.replicas", description: "Requested worker count" },
        { name: "Connected", jsonPath: ".status.connectedWorkers", description: "Connected workers" },
        { name: "Image", jsonPath: ".spec.image", priority: 1 },
        { name: "Users", jsonPath: ".status.progress.currentUsers", priority: 1 },
        { name: "RPS", jsonPath: ".status.progress.requestsPerSecond", priority: 1 },
        { name: "Fail%", jsonPath: ".status.progress.failPercent", priority: 1 },
        { name: "Outcome", jsonPath: ".status.result.outcome", priority: 1 },
        ageColumn,
      ],
    },
  },
});

/** A LocustTest as read from the API server, with defaults. */
export type LocustTest = ObjectOf<typeof LocustTest>;
/** A LocustTest as written by a client: fields with defaults are optional. */
export type LocustTestInput = InputOf<typeof LocustTest>;
export type LocustTestSpec = LocustTest["spec"];
export type LocustTestStatus = NonNullable<LocustTest["status"]>;
export type LocustTestCondition = NonNullable<LocustTestStatus["conditions"]>[number];
export type LocustTestV1 = ObjectOf<(typeof LocustTest)["versions"]["v1"]>;
export type LocustTestV1Input = InputOf<(typeof LocustTest)["versions"]["v1"]>;

/** A test read from the cache. */
export type Test = DeepReadonly<LocustTest>;

export type ConditionType = ConditionTypeOf<LocustTest>;
export type Reason<C extends ConditionType = ConditionType> = ConditionReasonOf<LocustTest, C>;
export type Phase = NonNullable<LocustTestStatus["phase"]>;
export type Threshold = NonNullable<LocustTestSpec["thresholds"]>[number];
export type Metric = Threshold["metric"];
export type Progress = NonNullable<LocustTestStatus["progress"]>;
export type WorkerStates = NonNullable<LocustTestStatus["workers"]>;
export type Result = NonNullable<LocustTestStatus["result"]>;
export type Outcome = Result["outcome"];
export type ThresholdResult = NonNullable<Result["thresholds"]>[number];
export type BrokenThreshold = NonNullable<LocustTestStatus["broken"]>[number];
export type PastRun = NonNullable<LocustTestStatus["history"]>[number];
export type Stop = NonNullable<LocustTestStatus["stop"]>;
