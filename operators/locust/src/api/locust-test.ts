import { ageColumn, defineResource, type InputOf, type ObjectOf } from "@homeostat/schema";
import { type ConditionType, conditionTypes } from "./conditions.ts";
import type { metrics } from "./spec.ts";
import { v2Spec } from "./spec.ts";
import { type outcomes, type phases, type stopTriggers, v2Status } from "./status.ts";
import { v1Spec, v1Status } from "./v1.ts";

/** The kind LocustTest, in both versions. It stands for v2, which is stored; `LocustTest.versions.v1` is the other. */
export const LocustTest = defineResource({
  group: "locust.io",
  kind: "LocustTest",
  shortNames: ["lotest"],
  versions: {
    v1: {
      description: "A load test.",
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
      description: "A load test: a Locust master, its workers, and what came out of it.",
      storage: true,
      spec: v2Spec,
      status: v2Status,
      conditions: conditionTypes,
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

/** A load test as it is read: defaults are filled in. */
export type LocustTest = ObjectOf<typeof LocustTest>;
/** A load test as it may be written. */
export type LocustTestInput = InputOf<typeof LocustTest>;
/** What a load test asks for. */
export type LocustTestSpec = LocustTest["spec"];
/** What is known about a load test. */
export type LocustTestStatus = NonNullable<LocustTest["status"]>;
/** One condition of a load test. */
export type LocustTestCondition = NonNullable<LocustTestStatus["conditions"]>[number] & { type: ConditionType };

/** A load test in the deprecated version. */
export type LocustTestV1 = ObjectOf<(typeof LocustTest)["versions"]["v1"]>;
/** A load test as it may be written in the deprecated version. */
export type LocustTestV1Input = InputOf<(typeof LocustTest)["versions"]["v1"]>;

/** Where a test stands. */
export type Phase = (typeof phases)[number];
/** How a test ended. */
export type Outcome = (typeof outcomes)[number];
/** Who asked for a test to be ended. */
export type StopTrigger = (typeof stopTriggers)[number];
/** What a threshold judges. */
export type Metric = (typeof metrics)[number];

/** One threshold of a test. */
export type Threshold = NonNullable<LocustTestSpec["thresholds"]>[number];
/** How one threshold was judged. */
export type ThresholdResult = NonNullable<Result["thresholds"]>[number];
/** A threshold that is broken, and since when. */
export type BrokenThreshold = NonNullable<LocustTestStatus["broken"]>[number];
/** How many workers are in which state. */
export type WorkerStates = NonNullable<LocustTestStatus["workers"]>;
/** How far a run is. */
export type Progress = NonNullable<LocustTestStatus["progress"]>;
/** What came out of a run. */
export type Result = NonNullable<LocustTestStatus["result"]>;
/** What is remembered of an earlier run. */
export type PastRun = NonNullable<LocustTestStatus["history"]>[number];
/** That a run is to end. */
export type Stop = NonNullable<LocustTestStatus["stop"]>;
