// The status of a Sandbox: phases, condition types and reasons, and the schema of the status fields.

import { s } from "homeostat";
import { initialConditions, pendingReason } from "./conditions.ts";
import { publishedTls } from "./spec-endpoint.ts";
import { entriesMax, entryModes } from "./spec-services.ts";
import { count, message, word } from "./spec-common.ts";

export const sandboxPhases = ["Pending", "Running", "Terminating", "Failed"] as const;

export const entryStates = ["Pending", "Progressing", "Ready", "Idle", "Failed", "Missing"] as const;

export const driftStates = ["InSync", "Behind", "Conflict", "Gone"] as const;

/** Permanent errors of a sandbox. Its phase is Failed if one occurs before anything runs. */
const permanentReasons = [
  "InvalidSpec",
  "PolicyDenied",
  "BaselineMissing",
  "InvalidReference",
  "PatchFailed",
  "PatchForbidden",
  "LabelsMatchBaseline",
  "QuotaExceeded",
  "ProvisionFailed",
  "ReadyTimeoutExceeded",
  "Forbidden",
] as const;

/** The condition types of a Sandbox, and the reasons of each. */
export const sandboxReasons = {
  Ready: [
    pendingReason,
    "SandboxReady",
    "ForksNotReady",
    "LocalWorkloadsNotConnected",
    "RoutesNotProgrammed",
    "RoutingKeyConflict",
    "Suspended",
    "Terminating",
    ...permanentReasons,
  ],
  Progressing: [
    pendingReason,
    "Provisioning",
    "CreatingForks",
    "UpdatingForks",
    "Rebasing",
    "ProgrammingRoutes",
    "RetryingAPI",
    "Terminating",
    "Complete",
    "Blocked",
  ],
  Degraded: [
    pendingReason,
    "AsExpected",
    "ForkFailed",
    "VolumeMayBlock",
    "QuotaExceeded",
    "RebaseFailed",
    "PatchConflict",
    "RoutesLimited",
    "CleanupStuck",
  ],
  Suspended: [pendingReason, "SuspendedByUser", "NotSuspended"],
  ForksReady: [
    pendingReason,
    "AllForksReady",
    "NoForks",
    "ForksProgressing",
    "ForkFailed",
    "Suspended",
    ...permanentReasons,
  ],
  RoutesProgrammed: [
    pendingReason,
    "Programmed",
    "NoService",
    "NoRoutes",
    "WaitingForProxies",
    "WaitingForMesh",
    "RoutingKeyConflict",
    "SelectorReverted",
    "TakeoverRestored",
    "NotEligible",
    "TargetPortsNotNamed",
    "TableTooLarge",
    "MeshNotFound",
    "MeshRejected",
    "HeaderFormsLimited",
    "HoldUnsupported",
    "Suspended",
  ],
  BaselineInSync: [
    pendingReason,
    "InSync",
    "NoBaseline",
    "BaselineChanged",
    "Pinned",
    "PatchConflict",
    "RebaseFailed",
    "BaselineGone",
  ],
  WithinQuota: [
    pendingReason,
    "WithinQuota",
    "SandboxResourcesExceeded",
    "NamespaceQuotaExceeded",
    "UserQuotaExceeded",
    "Raced",
  ],
  KeyUnique: [pendingReason, "KeyUnique", "RoutingKeyConflict"],
  Expiring: [pendingReason, "NotExpiring", "ExpiresSoon", "Expired", "NeverExpires"],
  PropagationBroken: [pendingReason, "KeyLost", "NoLossSeen"],
} as const;

const templateState = {
  generation: s.int64().optional().describe("Generation of the workload."),
  templateHash: s.string().max(64).optional().describe("Hash of its pod template, Service selectors and ports."),
};

const forkService = s.object({
  baseline: s.string().max(63).describe("Service of the baseline."),
  fork: s.string().max(63).optional().describe("Service of the fork."),
  ports: s
    .list(
      s.object({
        port: s.int().min(1).max(65_535),
        targetPort: s.intOrString().maxLength(63).optional().describe("Port of the fork's container, or its name."),
        protocol: s.string().max(16).default("TCP"),
        routable: s.bool().default(true).describe("False if the protocol of the port cannot carry a routing key."),
      }),
    )
    .mapBy("port", "protocol")
    .max(64)
    .optional(),
});

const serviceStatus = s.object({
  name: s.string().max(63).describe("Name of the entry."),
  mode: s.enum(...entryModes).optional(),
  status: s
    .enum(...entryStates)
    .default("Pending")
    .describe("State of the entry. Missing: the workload of the baseline does not exist."),
  endpoint: s.string().max(320).optional().describe("Address of the fork within the cluster."),
  forkName: s.string().max(63).optional().describe("Name of the Deployment of the fork."),
  replicas: count.describe("Desired number of pods of the fork."),
  readyReplicas: count.describe("Number of ready pods of the fork."),
  services: s.list(forkService).mapBy("baseline").max(20).optional().describe("Services that route to the fork."),
  missingPorts: s
    .list(s.string().max(128))
    .set()
    .max(64)
    .optional()
    .describe("Ports of Services of the baseline that no container of the fork serves, as service:port."),
  baseline: s
    .object({ uid: s.string().max(64).optional(), ...templateState })
    .optional()
    .describe("Current state of the baseline workload."),
  forkedFrom: s.object(templateState).optional().describe("State of the baseline that the fork was derived from."),
  drift: s
    .enum(...driftStates)
    .optional()
    .describe("Relation of the fork to the current baseline."),
  message: message.describe("Reason of the state."),
});

/** State of a preview address, in the status of a Sandbox and of a RouteGroup. */
export const endpointStatus = s.object({
  name: s.string().max(63).describe("Name of the endpoint."),
  url: s.string().max(1300).optional().describe("Address for browsers and clients outside of the cluster."),
  ready: s.bool().default(false).describe("True once all gateways serve the address."),
  reason: word.describe("Reason why the address does not work, such as HostConflict."),
  message: message.describe("Details of the reason."),
  host: s.string().max(253).optional().describe("Host of the endpoint. Absent while gateways must not serve it."),
  target: s.string().max(256).optional().describe("Service that the host routes to."),
  auth: s.enum("Token", "Forward", "None").optional().describe("How the gateway authenticates callers."),
  path: s.string().max(1024).optional().describe("Prefix of the paths that the host serves."),
  routingKey: s.string().max(63).optional().describe("Routing key that the gateway sets on all requests to the host."),
  defaultRoutingKey: s
    .string()
    .max(63)
    .optional()
    .describe("Routing key that the gateway sets on requests to the host without one."),
  tls: publishedTls.optional().describe("How gateways verify the Service, if they connect to it with TLS."),
});

const quantityText = s.string().max(64).optional();

/** The status fields of a Sandbox other than conditions. */
export const sandboxStatus = s
  .object({
    phase: s
      .enum(...sandboxPhases)
      .optional()
      .describe("Summary of the conditions. Failed only for errors that a retry cannot resolve."),
    observedGeneration: s.int64().optional().describe("Generation that the status was derived from."),
    routingKey: s.string().max(63).optional().describe("Key that marks requests for this sandbox. It never changes."),
    createdBy: s.string().max(1024).optional().describe("User who created the sandbox."),
    specChangedAt: s.time().optional().describe("Time at which the operator saw the last change of the spec."),
    readyAt: s.time().optional().describe("Time at which the sandbox was ready for the first time."),
    expiresAt: s.time().optional().describe("Time at which the sandbox is deleted."),
    lastActivityTime: s.time().optional().describe("Time of the last routed request, written at most once per minute."),
    services: s
      .list(serviceStatus)
      .mapBy("name")
      .max(entriesMax * 2)
      .optional()
      .describe("State of the entries."),
    endpoints: s.list(endpointStatus).mapBy("name").max(10).optional().describe("Preview addresses."),
    routeGroups: s
      .list(s.string().max(63))
      .set()
      .max(1000)
      .optional()
      .describe("RouteGroups that currently include this sandbox."),
    usage: s
      .object({
        cpu: quantityText.describe("Sum of the CPU limits."),
        memory: quantityText.describe("Sum of the memory limits."),
        pods: count.describe("Sum of the replicas."),
      })
      .optional()
      .describe("Sum of the limits of all forks."),
    summary: s
      .object({
        services: word.describe("Ready entries of all entries, such as 1/2."),
        drift: word.describe("Worst drift of all entries."),
      })
      .optional()
      .describe("Values of printer columns."),
  })
  .default(withConditions({ phase: "Pending" as const }));

function withConditions<T extends object>(fields: T): T {
  return { ...fields, conditions: initialConditions(sandboxReasons) };
}
