/** What the conditions of a test are about. */
export const conditionTypes = [
  "Ready",
  "WorkersConnected",
  "TestCompleted",
  "PodsHealthy",
  "SpecDrifted",
  "LiveStats",
] as const;

/** The type of a condition. */
export type ConditionType = (typeof conditionTypes)[number];

/** Every reason that a condition can have. */
export const reasons = {
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
} as const satisfies Record<ConditionType, readonly string[]>;

/** A reason that conditions of this type can have. */
export type Reason<C extends ConditionType = ConditionType> = (typeof reasons)[C][number];
