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
import { tableLimitations } from "./limitation-names.ts";
import { hostsSpec, omittedHostsSpec, servedHostsStatus, tokenUsesStatus } from "./route-table-hosts.ts";
import { count, interceptionModes, metadataName, nameRule, stickyModes, unavailableModes } from "./spec-common.ts";
import { faultsMax } from "./spec-hooks.ts";
import { entryModes } from "./spec-services.ts";

/** Maximum size of a RouteTable as JSON in bytes. The API server refuses objects of more than 1.5 MiB. */
export const tableBytesMax = 900 * 1024;

/** The condition types of a RouteTable, and the reasons of each. */
export const routeTableReasons = {
  Programmed: [
    pendingReason,
    "Programmed",
    "WaitingForProxies",
    "NoProxies",
    "TargetPortsNotNamed",
    "WaitingForMesh",
    "MeshNotFound",
    "MeshRejected",
  ],
  Limited: [pendingReason, "NotLimited", ...tableLimitations],
  TakenOver: [
    pendingReason,
    "TakenOver",
    "NotNeeded",
    "WaitingForProxies",
    "Releasing",
    "TakeoverRestored",
    "SelectorReverted",
    "NotEligible",
  ],
  Conflict: [pendingReason, "NoConflict", "SelectorReverted"],
  PortsRoutable: [pendingReason, "AllPortsRoutable", "PortsNotRoutable", "TargetPortsNotNamed"],
} as const;

/** Roles of proxies that follow tables of the cluster. */
export const proxyRoles = ["takeover", "sidecar", "gateway"] as const;
export type CountedRole = (typeof proxyRoles)[number];

/** States of a takeover that the status records. */
export const takeoverPhases = ["TakenOver", "Reverted", "Conflict"] as const;
export type TakeoverPhase = (typeof takeoverPhases)[number];

/** Number of recorded reverts. This many within a short time end the takeover. */
export const revertsMax = 3;

const port = s.int().min(1).max(65_535);

// The compiler is the only writer of tables. It copies values from validated kinds, so this schema repeats their structure but
// not their rules.

const pathMatch = s.object({
  prefix: s.string().max(1024).optional().describe("Prefix of whole path segments."),
  exact: s.string().max(1024).optional().describe("The whole path."),
});
const paths = s.list(pathMatch).atomic().max(16).optional();
const methods = s.list(s.string().max(32)).atomic().max(16).optional();

const match = s.object({
  paths: paths.describe("Paths; one must match."),
  methods: methods.describe("HTTP methods; one must match."),
  headers: s
    .list(
      s.object({
        name: s.string().max(128).describe("Name of the header."),
        value: s.string().max(1024).describe("Value of the header."),
      }),
    )
    .atomic()
    .max(8)
    .optional()
    .describe("Headers that must all have these values."),
});

const fault = s.object({
  percent: s.int().min(0).max(100).optional().describe("Share of the requests. Default: 100."),
  delayMs: s.int().min(0).optional().describe("Delay before the request is forwarded."),
  jitterMs: s.int().min(0).optional().describe("Maximum random addition to the delay."),
  abortCode: s.int().min(100).max(599).optional().describe("HTTP status of the response."),
  abortGrpcStatus: s.int().min(0).max(16).optional().describe("gRPC status of the response."),
  paths: paths.describe("Paths; one must match."),
  methods: methods.describe("HTTP methods; one must match."),
});

const entry = s.object({
  routingKey: s.string().max(63).describe("Key of the requests."),
  sandbox: s.string().max(63).describe("Sandbox that serves them."),
  sandboxUid: s.string().max(64).optional().describe("UID of that sandbox."),
  workload: s.string().max(63).describe("Entry of the sandbox."),
  mode: s
    .enum(...entryModes)
    .optional()
    .describe("Default: Fork. Virtual sends requests to the baseline, through the middleware."),
  source: s.enum("Sandbox", "RouteGroup", "Explicit").describe("Origin of the route."),
  routeGroup: s.string().max(63).optional().describe("RouteGroup of the route; absent if the source is Sandbox."),
  match: match.optional().describe("Conditions. Default: every request with the key matches."),
  percent: s.int().min(0).max(100).optional().describe("Share of the matching requests. Default: 100."),
  stickyBy: s
    .enum(...stickyModes)
    .optional()
    .describe("Part of the request whose hash decides on which side of the percentage it falls. Default: TraceId."),
  stickyHeader: s.string().max(128).optional().describe("Header that is hashed if stickyBy is Header."),
  additionalHeaders: s.map(s.string().max(1024)).max(16).optional().describe("Headers set on forwarded requests."),
  onUnavailable: s
    .enum(...unavailableModes)
    .optional()
    .describe("Handling of requests while no target is ready. Default: Fail."),
  holdSeconds: s.int().min(0).max(600).optional().describe("Seconds for which a request waits for a ready target."),
  sleepAfterSeconds: s
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .optional()
    .describe("Seconds without a request after which the workload sleeps. Default: never."),
  ports: s
    .list(
      s.object({
        port: port.describe("Port of the Service of the baseline."),
        targetService: s.string().max(63).describe("Service of the workload."),
        targetPort: port.describe("Port of that Service."),
      }),
    )
    .atomic()
    .max(64)
    .describe("Targets by port of the Service."),
  middleware: s
    .object({
      record: s.bool().optional().describe("True if requests are recorded."),
      accessLog: s.bool().optional().describe("True if proxies log the requests that match this route."),
      faults: s.list(fault).atomic().max(faultsMax).optional().describe("Faults; the first that applies is used."),
    })
    .optional()
    .describe("Processing of matching requests by the proxy."),
});

const initialStatus = { conditions: initialConditions(routeTableReasons), observedGeneration: 0 };

export const RouteTable = defineResource({
  group,
  version,
  kind: "RouteTable",
  shortNames: ["rt"],
  categories: [category],
  description:
    "RouteTable lists all routes and preview hosts of one Service of the baseline. The operator writes it and proxies follow it; do not edit it.",
  name: metadataName,
  rules: [
    nameRule,
    {
      rule: "self.metadata.name == self.spec.service",
      messageExpression: "'must be the name of the service, ' + self.spec.service",
      message: "must be the name of the service",
      reason: "FieldValueInvalid",
      fieldPath: ".metadata.name",
    },
  ],
  spec: {
    service: s.string().max(63).describe("Service of the baseline. It is also the name of the table."),
    ports: s
      .list(
        s.object({
          port: port.describe("Port of the Service."),
          name: s.string().max(63).optional().describe("Name of the port."),
          appProtocol: s.string().max(253).optional().describe("appProtocol of the port."),
          targetPort: s
            .string()
            .max(15)
            .optional()
            .describe(
              "Target port of the Service, if the interception is Sidecar: the name of a port of the pods, or a number. Requests for numbers bypass the sidecar.",
            ),
          baselineTarget: s.string().max(320).describe("Address of the baseline, as host:port."),
        }),
      )
      .atomic()
      .max(64)
      .describe("Ports of the Service."),
    entries: s.list(entry).atomic().max(5000).describe("Routes, sorted."),
    interception: s
      .enum(...interceptionModes)
      .default("Takeover")
      .describe("How requests reach the proxy."),
    restoreKeys: s
      .bool()
      .optional()
      .describe("True if requests without a key get the key of earlier requests of their trace. Default: false."),
    hosts: hostsSpec,
    omittedHosts: omittedHostsSpec,
    version: s.string().max(64).describe("Hash of the routes. It does not cover preview hosts."),
  },
  status: s
    .object({
      observedGeneration: s.int64().optional().describe("Generation that the status was derived from."),
      listenPorts: s.map(port).max(64).optional().describe("Listening ports of the proxy by port of the Service."),
      originalSelector: s
        .map(s.string().max(63))
        .max(64)
        .optional()
        .describe("Selector of the Service before it was taken over."),
      takeover: s
        .object({
          phase: s
            .enum(...takeoverPhases)
            .optional()
            .describe("TakenOver, Reverted by another client, or Conflict: the operator has given up."),
          takenOverAt: s.microTime().optional().describe("Time of the last takeover."),
          unusedSince: s.microTime().optional().describe("Time at which the last route was removed."),
          releasedAt: s.microTime().optional().describe("Time at which the Service was restored."),
          reverts: s
            .list(s.microTime())
            .atomic()
            .max(revertsMax)
            .optional()
            .describe("Times of the last changes by another client, oldest first."),
          revertedBy: s.string().max(128).optional().describe("Field manager of the last of these changes."),
        })
        .optional()
        .describe("Progress of a takeover."),
      proxies: s
        .object({ total: count.describe("Live proxies."), synced: count.describe("Proxies with the current version.") })
        .optional()
        .describe(
          "Proxies that follow this table, summed over all replicas of the route server. If the interception is Takeover or Sidecar, only proxies of that role are counted.",
        ),
      replicas: s
        .list(
          s.object({
            name: s.string().min(1).max(253).describe("Name of the replica, which is the name of its pod."),
            version: s.string().max(64).describe("Version of the table that the counts refer to."),
            total: count.describe("Number of proxies connected to the replica."),
            synced: count.describe("Proxies among them that have confirmed the version."),
            roles: s
              .list(
                s.object({
                  role: s.enum(...proxyRoles).describe("Role of the proxies."),
                  total: count.describe("Number of proxies of the role."),
                  synced: count.describe("Proxies among them that have confirmed the version."),
                }),
              )
              .atomic()
              .max(proxyRoles.length)
              .optional()
              .describe("The same counts by role; roles without a proxy are omitted."),
            hosts: servedHostsStatus,
          }),
        )
        .mapBy("name")
        .max(16)
        .optional()
        .describe("Counts of each replica of the route server, which writes only its own entry."),
      syncedVersion: s.string().max(64).optional().describe("Last version that all live proxies have confirmed."),
      activity: s
        .map(s.time())
        .max(5000)
        .optional()
        .describe(
          "Times of the last requests by UID of the sandbox, as proxies report them. Requests that wait for a target count. A time is refreshed once per minute, more often if the sandbox sleeps.",
        ),
      lostKeys: s
        .map(
          s.object({
            from: s.string().max(63).describe("Service that called another one without the key."),
            to: s.string().max(63).describe("Service that was called."),
            count: count.describe("Sampled requests in which the key was lost."),
            traceId: s.string().max(32).describe("ID of one of their traces."),
            lastTime: s.time().describe("Time of the last of these requests."),
          }),
        )
        .max(5000)
        .optional()
        .describe("Losses of routing keys by UID of the sandbox, from the last hour."),
      keySightings: s
        .map(
          s
            .list(
              s.object({
                traceId: s.string().max(32).describe("ID of the trace."),
                key: s.string().max(63).describe("Routing key of the request."),
                at: s.int64().describe("Time of the request, in milliseconds since 1970."),
              }),
            )
            .atomic()
            .max(20),
        )
        .max(64)
        .optional()
        .describe(
          "Requests with a routing key from the last 30 seconds by replica of the route server, a sample. Other replicas search for losses of the key with them.",
        ),
      tokenUses: tokenUsesStatus,
      mesh: s
        .object({
          provider: s.enum("gatewayapi", "istio").describe("Kind of the mesh objects."),
          version: s.string().max(64).describe("Version of the table that the objects were rendered from."),
          objects: count.describe("Number of rendered objects."),
          accepted: count.describe("Number of objects that the mesh has accepted."),
          reason: s.string().max(128).optional().describe("Reason that the mesh reports for a rejected object."),
          message: s.string().max(1024).optional().describe("Message that the mesh reports for that object."),
          limitations: s
            .list(
              s.object({
                name: s.string().max(64).describe("Name of the limitation."),
                message: s.string().max(1024).describe("Effect, with the affected sandboxes."),
              }),
            )
            .atomic()
            .max(64)
            .optional()
            .describe("Parts of the routes that the mesh cannot express."),
        })
        .optional()
        .describe(
          "Routes of a mesh that were rendered from this table. Absent if no mesh routes the requests of the Service.",
        ),
      message: s.string().max(1024).optional().describe("Details, such as ports that are not routable."),
    })
    .default(initialStatus),
  conditions: routeTableReasons,
  columns: [
    { name: "Interception", jsonPath: ".spec.interception" },
    { name: "Version", jsonPath: ".spec.version" },
    { name: "Proxies", jsonPath: ".status.proxies.total", description: "Live proxies" },
    { name: "Synced", jsonPath: ".status.proxies.synced", description: "Proxies with the current version" },
    { name: "Programmed", condition: "Programmed" },
    ageColumn,
    { name: "Taken over", condition: "TakenOver", priority: 1 },
    { name: "Conflict", condition: "Conflict", priority: 1 },
  ],
});

/** A RouteTable with the defaults of the schema, as the API server returns it. */
export type RouteTable = ObjectOf<typeof RouteTable>;
/** A RouteTable as a client may write it, without defaults. */
export type RouteTableInput = InputOf<typeof RouteTable>;
/** A RouteTable read from the cache. */
export type CachedRouteTable = DeepReadonly<RouteTable>;

export type RouteTableSpec = RouteTable["spec"];
export type RouteTableStatus = RouteTable["status"];
export type RouteTableConditionType = ConditionTypeOf<RouteTable>;
export type RouteTableReason<C extends RouteTableConditionType = RouteTableConditionType> = ConditionReasonOf<
  RouteTable,
  C
>;
export type TableEntry = RouteTableSpec["entries"][number];
export type TablePort = RouteTableSpec["ports"][number];
/** A preview host of a table. */
export type TableHost = NonNullable<RouteTableSpec["hosts"]>[number];
