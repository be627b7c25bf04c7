import {
  type ConditionReasonOf,
  type ConditionTypeOf,
  type DeepReadonly,
  defineResource,
  type InputOf,
  type ObjectOf,
  s,
} from "homeostat";
import { ageColumn } from "@homeostat/schema";
import { initialConditions, pendingReason } from "./conditions.ts";
import { category, group, version } from "./identity.ts";
import { dnsLabel, message, metadataName, nameRule, targetRef } from "./spec-common.ts";

export const localWorkloadPhases = ["Pending", "Connected", "Disconnected", "Failed"] as const;

/** Reasons why no machine is attached. */
export const disconnectReasons = [
  "WaitingForClient",
  "ClientLeft",
  "HeartbeatLost",
  "ServerDraining",
  "AccessRevoked",
  "Replaced",
  "Refused",
] as const;

export type DisconnectReason = (typeof disconnectReasons)[number];

/** The condition types of a LocalWorkload, and the reasons of each. */
export const localWorkloadReasons = {
  Ready: [
    pendingReason,
    "WorkloadReady",
    "NotConnected",
    "LocalTargetNotReady",
    "RoutesNotProgrammed",
    "PortUnknown",
    "SandboxMissing",
    "ServiceUnknown",
    "InvalidSpec",
    "PolicyDenied",
    "ConnectionTimeout",
    "Terminating",
  ],
  TunnelConnected: [pendingReason, "Connected", ...disconnectReasons],
  LocalTargetReady: [pendingReason, "Listening", "NotListening", "ProbeTimeout", "Unknown"],
  RoutesProgrammed: [
    pendingReason,
    "Programmed",
    "NoRoutes",
    "WaitingForProxies",
    "Withdrawn",
    "SelectorReverted",
    "MeshNotFound",
    "MeshRejected",
    "TargetPortsNotNamed",
    "TableTooLarge",
  ],
  Degraded: [pendingReason, "AsExpected", "PortUnknown", "RoundTripSlow", "CleanupStuck"],
} as const;

/** Pattern of a machine's public key: 32 bytes in base64url without padding. */
export const publicKeyPattern = "^[A-Za-z0-9_-]{43}$";

/** Pattern of a machine ID: 12 characters of the SHA-256 of its public key. */
export const machineIdPattern = "^[0-9a-f]{12}$";

export const appProtocols = ["http", "http2", "grpc", "ws", "tcp"] as const;

const port = s.int().min(1).max(65_535);

const servicePort = s.object({
  name: dnsLabel.describe("Name of the port, unique in the list."),
  containerPort: port.describe("Port of the baseline's container that this port replaces."),
  localPort: port.optional().describe("Port on the developer's machine. Default: the value of containerPort."),
  localHost: s
    .string()
    .min(1)
    .max(253)
    .default("127.0.0.1")
    .describe(
      "Host on the developer's side. The client refuses all but loopback unless it was started with --allow-remote-local.",
    ),
  appProtocol: s
    .enum(...appProtocols)
    .optional()
    .describe("Protocol of the port. Default: that of the Service port of the baseline."),
});

const service = s
  .object({
    name: dnsLabel
      .immutable("service.name cannot be changed; create another LocalWorkload")
      .describe("Entry of the sandbox with the mode Local, or a Service of the baseline. Immutable."),
    targetRef: targetRef.optional().describe("The workload of the baseline. Default: that of the entry."),
    ports: s.list(servicePort).mapBy("name").min(1).max(16).describe("Ports that the machine serves."),
  })
  .rule({
    rule: "self.ports.all(a, self.ports.exists_one(b, a.containerPort == b.containerPort))",
    message: "each containerPort can be used by one port only; remove the second one",
    reason: "FieldValueInvalid",
    fieldPath: ".ports",
  });

const connection = s.object({
  publicKeys: s
    .list(s.string().min(43).max(43).pattern(publicKeyPattern))
    .set()
    .max(8)
    .default([])
    .describe(
      "Ed25519 public keys of machines that may attach, as 43 characters of base64url. Clients add their own key. Without a key no machine can attach.",
    ),
  target: s
    .string()
    .max(253)
    .default("")
    .describe("Id of the only machine that may attach. Default: every machine whose public key is listed."),
  timeout: s
    .int()
    .min(1)
    .max(604_800)
    .default(300)
    .describe("Seconds without an attached machine after which routes are withdrawn and the phase is Failed."),
  mode: s
    .enum("Exclusive", "Standby", "Pool")
    .default("Exclusive")
    .describe("Handling of a second machine: Exclusive refuses it, Standby keeps it as a spare, Pool shares the load."),
  reconnectGraceSeconds: s
    .int()
    .min(0)
    .max(60)
    .default(5)
    .describe("Seconds that requests wait for the machine after its connection was lost."),
});

const outbound = s.object({
  enabled: s.bool().default(true).describe("If true, the machine may call Services of the cluster through the tunnel."),
  allow: s
    .list(s.string().min(1).max(320))
    .set()
    .max(64)
    .optional()
    .describe(
      "Services that the machine may call, as globs of <service>[.<namespace>][:port]. Default: Services of the own namespace. Policies can restrict these further.",
    ),
});

const machine = {
  tunnelId: s
    .string()
    .max(64)
    .optional()
    .describe("Id of the tunnel, which a later connection of the same machine continues."),
  epoch: s.int64().optional().describe("Number of the connection. A later connection has a larger one."),
  machine: s.string().max(64).optional().describe("Id of the machine."),
  host: s.string().max(253).optional().describe("Host name that the machine reports."),
  user: s.string().max(1024).optional().describe("User who created or last changed the keys of the LocalWorkload."),
  clientVersion: s.string().max(64).optional(),
  connectedAt: s.time().optional(),
  lastHeartbeat: s.time().optional().describe("Time of the last heartbeat, refreshed at most once per minute."),
  disconnectedAt: s.time().optional(),
  reason: s.string().max(64).optional().describe("Why the connection ended."),
  rttMillis: s.int().min(0).optional().describe("Round trip time in milliseconds."),
  replica: s.string().max(253).optional().describe("Pod of the tunnel server."),
  address: s.string().max(64).optional().describe("IP address of that pod."),
  localTarget: s
    .enum("Listening", "NotListening", "ProbeTimeout")
    .optional()
    .describe("State of the local ports as the machine reports it; absent until all are known."),
  localMessage: s.string().max(512).optional().describe("Local port that is not ready."),
};

const initialStatus = { phase: "Pending" as const, conditions: initialConditions(localWorkloadReasons) };

const status = s
  .object({
    phase: s.enum(...localWorkloadPhases).optional(),
    observedGeneration: s.int64().optional().describe("Generation that the status was derived from."),
    routingKey: s.string().max(63).optional().describe("Key of the sandbox."),
    createdBy: s.string().max(1024).optional().describe("User who created the LocalWorkload."),
    tunnel: s
      .object({
        url: s.string().max(512).optional().describe("Address of the tunnel server for clients."),
        caSha256: s
          .string()
          .max(512)
          .optional()
          .describe(
            "SHA-256 of the certificate authorities of the tunnel server in hex, separated by commas. Clients trust no other authority.",
          ),
      })
      .optional()
      .describe("Where and how machines attach."),
    connection: s.object(machine).optional().describe("The attached machine, or the last one if none is attached."),
    machines: s
      .list(s.object({ ...machine, machine: s.string().max(64) }))
      .mapBy("machine")
      .max(64)
      .optional()
      .describe("All machines, if the mode is Standby or Pool."),
    service: s.string().max(63).optional().describe("Service that routes to the machine."),
    ports: s
      .list(
        s.object({
          name: s.string().max(63),
          containerPort: port,
          listenPort: port.optional().describe("Port of the tunnel server's pod."),
        }),
      )
      .mapBy("name")
      .max(16)
      .optional(),
    message: message.describe("Reason of the phase."),
  })
  .default(initialStatus);

export const LocalWorkload = defineResource({
  group,
  version,
  kind: "LocalWorkload",
  shortNames: ["lw"],
  categories: [category, "all"],
  description:
    "LocalWorkload routes the requests of one service of a Sandbox to a process on a developer's machine, through an outgoing tunnel.",
  name: metadataName,
  rules: [nameRule],
  spec: s.object({
    sandboxRef: s
      .object({
        name: dnsLabel
          .immutable("sandboxRef.name cannot be changed; create another LocalWorkload")
          .describe("Name of the Sandbox. Immutable."),
      })
      .describe("The Sandbox in the same namespace."),
    service: service.describe("The service that the machine replaces."),
    connection: connection.default({}).describe("Machines that may attach."),
    onUnavailable: s
      .enum("Baseline", "Fail")
      .default("Fail")
      .describe("Handling of requests while no machine is attached: the baseline serves them, or they fail with 503."),
    outbound: outbound.default({}).describe("Calls of the machine into the cluster."),
  }),
  status,
  conditions: localWorkloadReasons,
  columns: [
    { name: "Sandbox", jsonPath: ".spec.sandboxRef.name" },
    { name: "Service", jsonPath: ".spec.service.name" },
    { name: "Phase", jsonPath: ".status.phase" },
    { name: "Machine", jsonPath: ".status.connection.machine", description: "Id of the attached machine" },
    { name: "RTT", jsonPath: ".status.connection.rttMillis", description: "Round trip time in milliseconds" },
    ageColumn,
    { name: "Ready", condition: "Ready", priority: 1 },
    { name: "Host", jsonPath: ".status.connection.host", priority: 1, description: "Host name of the machine" },
    { name: "User", jsonPath: ".status.connection.user", priority: 1, description: "User of the machine" },
  ],
});

/** A LocalWorkload with the defaults of the schema, as the API server returns it. */
export type LocalWorkload = ObjectOf<typeof LocalWorkload>;
/** A LocalWorkload as a client may write it, without defaults. */
export type LocalWorkloadInput = InputOf<typeof LocalWorkload>;
/** A LocalWorkload read from the cache. */
export type CachedLocalWorkload = DeepReadonly<LocalWorkload>;

export type LocalWorkloadSpec = LocalWorkload["spec"];
export type LocalWorkloadStatus = LocalWorkload["status"];
export type LocalWorkloadPhase = NonNullable<LocalWorkloadStatus["phase"]>;
export type LocalWorkloadConditionType = ConditionTypeOf<LocalWorkload>;
export type LocalWorkloadReason<C extends LocalWorkloadConditionType = LocalWorkloadConditionType> = ConditionReasonOf<
  LocalWorkload,
  C
>;
export type LocalPort = LocalWorkloadSpec["service"]["ports"][number];
export type ConnectionMode = LocalWorkloadSpec["connection"]["mode"];
export type MachineStatus = NonNullable<LocalWorkloadStatus["connection"]>;

/** Returns the port on the developer's machine that receives the requests of a port. */
export function localPortOf(port: Pick<LocalPort, "localPort" | "containerPort">): number {
  return port.localPort ?? port.containerPort;
}
