// The status of a cluster: phases, condition types and reasons, and the schema of the status fields.

import { s } from "homeostat";
import { components, statefulComponents } from "./identity.ts";
import { colors } from "./names.ts";

export const phases = ["Pending", "Creating", "Running", "Updating", "Failed", "Deleting"] as const;

export type Phase = (typeof phases)[number];

/** Classes of errors, which determine when a failed reconcile is retried. */
export const errorClasses = ["Transient", "Permanent", "Unknown"] as const;

export type ErrorClass = (typeof errorClasses)[number];

/** Reasons of errors, in `lastError` and in the condition ReconcileSucceeded. */
export const errorReasons = [
  "ValidationFailed",
  "BadRequest",
  "AdmissionDenied",
  "Unauthorized",
  "Forbidden",
  "QuotaExceeded",
  "NamespaceTerminating",
  "NamespaceNotFound",
  "ApiNotInstalled",
  "RequestRejected",
  "ResourceConflict",
  "UpdateConflict",
  "FieldConflict",
  "Invalid",
  "TooManyRequests",
  "WebhookUnavailable",
  "ServerError",
  "NetworkError",
  /** The certificate of the API server is not trusted. */
  "ApiServerTrust",
  "ImmutableFieldChanged",
  /** Too few volumes of the controllers remain to form a quorum. */
  "MinorityOfVolumes",
  "Unexpected",
] as const;

export type ErrorReason = (typeof errorReasons)[number];

/** Reasons of warnings, in `status.warnings` and in the condition SpecWarnings. */
export const warningReasons = [
  "EvenControllerCount",
  "FloatingImageTag",
  "SingleController",
  "ReplicationFactorTooHigh",
  "DataDeletedWithCluster",
  "WritableRootFilesystem",
  "ReplicasIgnored",
  "ControllersAutoscaled",
  "UnknownRestartComponent",
] as const;

export type WarningReason = (typeof warningReasons)[number];

/** The condition types of a cluster, and the reasons of each. */
export const reasons = {
  Ready: [
    "AllComponentsReady",
    "ComponentsNotReady",
    "RolloutInProgress",
    "ScalingInProgress",
    "PrerequisiteMissing",
    "Deleting",
    /** The cluster cannot be created. A cluster that has been complete keeps its condition, because its members still run. */
    ...errorReasons,
  ],
  ControllersReady: ["AllControllersReady", "ControllersNotReady"],
  IngestNodesReady: ["AllIngestNodesReady", "IngestNodesNotReady"],
  SearchNodesReady: ["AllSearchNodesReady", "SearchNodesNotReady"],
  QuorumHealthy: ["MajorityReady", "QuorumLost", "NoLeader", "NotStarted"],
  Progressing: [
    "Creating",
    "RollingUpdate",
    "Scaling",
    "ResizingVolumes",
    "RecreatingStatefulSet",
    "Complete",
    "ProgressDeadlineExceeded",
    "Blocked",
  ],
  Degraded: ["PodsNotReady", "PodsStuck", "QuorumLost", "ProgressDeadlineExceeded", "AsExpected"],
  SpecValid: ["Valid", "ValidationFailed"],
  SpecWarnings: [...warningReasons, "None"],
  PrerequisitesMet: ["Found", "PrerequisiteMissing"],
  ReconcileSucceeded: ["Success", ...errorReasons],
  VolumesResized: ["Done", "Resizing", "ExpansionNotSupported"],
  ScaleDownBlocked: ["DrainTimeout", "DrainNotOffered", "NodeNotReady", "NotBlocked"],
  /** Only while the canary strategy is set. */
  CanaryFailed: ["PodNotReady", "PodRestarted", "NotFailed"],
  /** Only with TLS. */
  CertificateValid: ["Valid", "ExpiresSoon", "Expired", "NotYetValid", "Unreadable", "SecretMissing"],
  /** Only while reconciliation is paused. */
  ReconciliationPaused: ["PausedByUser"],
  /** Only while deletion is blocked. */
  DeletionBlocked: ["DeletionProtected"],
} as const;

export type ConditionType = keyof typeof reasons;
export type Reason<C extends ConditionType = ConditionType> = (typeof reasons)[C][number];

/** Reasons why a pod is restarted. */
export const restartReasons = [
  "TemplateChanged",
  "ConfigChanged",
  "SecretChanged",
  "ManualRestart",
  "FileSystemResize",
  "StuckOutdated",
] as const;

export type RestartReason = (typeof restartReasons)[number];

export const messageLengthMax = 1024;

const message = s.string().max(messageLengthMax).optional();
const word = s.string().max(63).optional();
const count = s.int().min(0).default(0);
const componentCounts = s.object({ controllers: count, ingestNodes: count, searchNodes: count }).optional();
const addresses = s.list(s.string().max(320)).atomic().max(500).optional();
const component = s.enum(...components);

const rollout = s.object({
  component: component.optional().describe("Component of the pod that was restarted last."),
  pod: s.string().max(253).optional().describe("Pod that was restarted last."),
  reasons: s
    .list(s.enum(...restartReasons))
    .set()
    .max(restartReasons.length)
    .optional(),
  startedAt: s.time().optional().describe("Start of the rollout; absent when all pods are up to date and ready."),
  lastRestartTime: s.time().optional(),
  components: s
    .list(
      s.object({
        component,
        outdated: count.describe("Number of pods that must restart."),
        blockedBy: word.describe("First closed gate; empty if the next restart is allowed."),
        message: message.describe("Why the gate is closed."),
        blockedSince: s.time().optional(),
      }),
    )
    .mapBy("component")
    .max(components.length)
    .optional()
    .describe("State of the rollout by component."),
});

const planStep = s.object({
  step: s.string().max(63).describe("What the operator does next, such as RestartPod."),
  component: component.optional(),
  target: s.string().max(253).optional().describe("Object that the step changes."),
  waitsFor: message.describe("What the step waits for; empty for the step that is performed now."),
});

const lastError = s.object({
  class: s.enum(...errorClasses),
  reason: s.string().max(63),
  message: s.string().max(messageLengthMax),
  step: s.string().max(63),
  object: s.string().max(512).optional().describe("Object of the failed request."),
  count: s.int().min(1),
  firstSeen: s.time(),
  lastSeen: s.time(),
  nextRetry: s.time().optional(),
  correlationId: s.string().max(64).optional(),
});

/** The status fields other than conditions. */
export const clusterStatus = s
  .object({
    phase: s.enum(...phases).optional(),
    observedGeneration: s.int64().optional().describe("Generation that was validated and applied last."),
    lastUpdated: s.time().optional().describe("Time of the last change of this status."),
    bootstrapped: s.bool().optional().describe("True once all controllers have been ready together."),
    initialized: s.bool().optional().describe("True once all components have been complete and ready together."),
    operatorVersion: s.string().max(64).optional().describe("Version of the operator that built the current objects."),
    selector: s.string().max(512).optional().describe("Label selector of the ingest pods, for the scale subresource."),
    controllers: addresses.describe("Addresses of the ready controllers."),
    ingestNodes: addresses.describe("Addresses of the ready ingest nodes."),
    searchNodes: addresses.describe("Addresses of the ready search nodes."),
    bootstrapServers: s.string().max(320).optional().describe("Address that Kafka clients connect to first."),
    externalBootstrapServers: s
      .list(s.string().max(320))
      .atomic()
      .max(64)
      .optional()
      .describe("Addresses for Kafka clients outside of the Kubernetes cluster."),
    readyReplicas: componentCounts,
    replicas: componentCounts.describe("Number of members that exist."),
    desiredReplicas: componentCounts.describe("Number of members that the spec or the autoscaler requests."),
    updatedReplicas: componentCounts.describe("Number of members with the current pod template."),
    summary: s
      .object({ controllers: word, ingestNodes: word, searchNodes: word })
      .optional()
      .describe("Ready and desired members, such as 3/3."),
    quorum: s
      .object({
        voters: count,
        ready: count.describe("Voters that are ready and caught up."),
        leader: s.string().max(253).optional().describe("Pod of the leader, if known."),
      })
      .optional(),
    configHash: s.object({ controller: word, ingest: word, search: word }).optional(),
    rollout: rollout.optional(),
    plan: s.list(planStep).atomic().max(20).optional().describe("What the operator does next, and what it waits for."),
    canary: s
      .object({
        component: s.enum(...statefulComponents),
        revision: s.string().max(253).describe("Revision that the canary tests."),
        startedAt: s.time().optional().describe("Time at which all canary pods were ready."),
        failedRevision: s.string().max(253).optional().describe("Revision that failed. It is not rolled out."),
        failedGeneration: s
          .int64()
          .optional()
          .describe(
            "Generation of the spec whose canary failed. The former pod template stays until the spec changes.",
          ),
      })
      .optional(),
    searchColor: s
      .object({
        active: s.enum(...colors).describe("Deployment that clients use."),
        switchedAt: s.time().optional(),
      })
      .optional()
      .describe("State of the BlueGreen strategy."),
    scaleDown: s
      .list(s.object({ component: s.enum(...statefulComponents), pod: s.string().max(253), startedAt: s.time() }))
      .mapBy("component")
      .max(statefulComponents.length)
      .optional()
      .describe("Members that are being removed, at most one of each component."),
    storage: s
      .object({
        requested: s.string().max(64).optional(),
        claims: count,
        resizing: count,
        larger: s
          .list(s.string().max(253))
          .atomic()
          .max(100)
          .optional()
          .describe("PersistentVolumeClaims that are larger than the spec requests."),
      })
      .optional(),
    certificate: s
      .object({
        secret: s.string().max(253),
        notBefore: s.time(),
        notAfter: s.time().describe("Time at which the certificate expires."),
      })
      .optional(),
    warnings: s
      .list(s.object({ reason: s.string().max(63), message: s.string().max(messageLengthMax) }))
      .atomic()
      .max(20)
      .optional(),
    lastError: lastError.optional(),
  })
  .default({ phase: "Pending" });
