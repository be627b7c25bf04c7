// The status of a tenant: phases, condition types and reasons, and the schema of the status fields.

import { s } from "homeostat";

export const componentPhases = ["Pending", "Provisioning", "Running", "Degraded", "Failed", "Hibernated"] as const;

export const phases = [...componentPhases, "Terminating"] as const;

export const rotationSteps = ["overlap", "clients", "cleanup", "done"] as const;

export const messageLengthMax = 1024;

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
  "MissingReference",
  "ProgressDeadlineExceeded",
] as const;

/** The condition types of a tenant, and the reasons of each. */
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
  ServerReady: componentReasons,
  NetworkPoliciesReady: ["Applied", "Disabled", "ApplyFailed"],
  StorageResized: ["Resized", "Resizing", "ExpansionNotSupported", "ShrinkNotSupported"],
  PasswordSynced: ["Synced", "SecretNotFound"],
  QuotaPressure: ["AboveThreshold", "WithinQuota"],
  Paused: ["Paused", "NotPaused"],
  Terminating: ["DeletingNamespace", "WaitingForNamespace", "NamespaceStuck"],
} as const;

export type ConditionType = keyof typeof reasons;

export type Reason<C extends ConditionType = ConditionType> = (typeof reasons)[C][number];

const message = s.string().max(messageLengthMax).optional();

const component = s.object({
  phase: s.enum(...componentPhases).optional(),
  message: message.describe("Human-readable summary."),
  reason: s.string().max(256).optional().describe("CamelCase reason of the phase."),
  readyReplicas: s.int().min(0).optional(),
  totalReplicas: s.int().min(0).optional().describe("Desired number of replicas."),
  lastTransitionTime: s.time().optional().describe("Time of the last change of the phase."),
});

/** The status fields other than conditions. */
export const tenantStatus = {
  phase: s.enum(...phases).optional(),
  message: message.describe("Human-readable summary."),
  lastTransitionTime: s.time().optional().describe("Time of the last change of the phase."),
  observedGeneration: s.int64().optional().describe("Generation that the status was derived from."),
  namespace: s.string().max(63).optional().describe("The tenant's namespace, once it exists."),
  serverStatus: component.optional(),
  redisStatus: component.optional(),
  urls: s.object({ server: s.string().max(256).optional().describe("URL within the cluster.") }).optional(),
  redisCredentials: s
    .object({
      step: s.enum(...rotationSteps).optional(),
      lastRotationTime: s.time().optional(),
      token: s.string().max(256).optional().describe("Annotation value that requested the last rotation."),
    })
    .optional()
    .describe("State of the password rotation."),
};
