/** What the conditions of a tenant are about. */
export const conditionTypes = [
  "Ready",
  "NamespaceReady",
  "RedisReady",
  "ServerReady",
  "NetworkPoliciesReady",
  "StorageResized",
  "QuotaPressure",
  "Paused",
  "Terminating",
] as const;

/** The type of a condition. */
export type ConditionType = (typeof conditionTypes)[number];

const componentReasons = [
  "Running",
  "Provisioning",
  "Degraded",
  "SecretNotFound",
  "StorageNotBound",
  "ImagePull",
  "CrashLoop",
  "QuotaExceeded",
  "PodSecurity",
  "ResourceConflict",
  "Hibernated",
  "ReconcileError",
] as const;

/** Every reason that a condition can have. */
export const reasons = {
  Ready: [
    "TenantReady",
    "Provisioning",
    "Degraded",
    "InvalidSpec",
    "NamespaceConflict",
    "ResourceConflict",
    "Hibernated",
    "Terminating",
    "ReconcileError",
  ],
  NamespaceReady: ["Active", "NamespaceConflict", "NamespaceTerminating", "CreateFailed"],
  RedisReady: componentReasons,
  ServerReady: [...componentReasons, "MissingReference", "ProgressDeadlineExceeded"],
  NetworkPoliciesReady: ["Applied", "Disabled", "ApplyFailed"],
  StorageResized: ["Resized", "Resizing", "ExpansionNotSupported", "ShrinkNotSupported"],
  QuotaPressure: ["AboveThreshold", "WithinQuota"],
  Paused: ["Paused", "NotPaused"],
  Terminating: ["DeletingNamespace", "WaitingForNamespace", "NamespaceStuck"],
} as const satisfies Record<ConditionType, readonly string[]>;

/** A reason that conditions of this type can have. */
export type Reason<C extends ConditionType = ConditionType> = (typeof reasons)[C][number];
