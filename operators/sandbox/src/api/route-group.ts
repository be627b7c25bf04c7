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
import { atLeastRule } from "./duration.ts";
import { category, group, version } from "./identity.ts";
import { routingKeyLengthMax } from "./routing-key.ts";
import { endpointStatus } from "./sandbox-status.ts";
import { count, duration, labelSelector, metadataName, nameRule, ownedRoutingKey, word } from "./spec-common.ts";
import { endpoint } from "./spec-endpoint.ts";
import { matchNode } from "./spec-match.ts";
import { route, routesMax, routingKeyHeader } from "./spec-route.ts";

/** The condition types of a RouteGroup, and the reasons of each. */
export const routeGroupReasons = {
  Ready: [
    pendingReason,
    "GroupReady",
    "NoMatch",
    "RoutesNotProgrammed",
    "EndpointsNotReady",
    "RoutingKeyConflict",
    "InvalidSpec",
    "PolicyDenied",
    "Terminating",
  ],
  Progressing: [pendingReason, "ProgrammingRoutes", "RetryingAPI", "Terminating", "Complete"],
  Degraded: [pendingReason, "AsExpected", "SandboxesNotReady", "SandboxMissing", "RouteConflict", "RoutesLimited"],
  Matched: [pendingReason, "Matched", "NoMatch"],
  RoutesProgrammed: [
    pendingReason,
    "Programmed",
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
  ],
  EndpointsReady: [
    pendingReason,
    "EndpointsReady",
    "NoEndpoints",
    "NoPreviewDomain",
    "TargetMissing",
    "TargetUnsupported",
    "HostConflict",
    "RoutingKeyConflict",
    "PolicyDenied",
    "InvalidSpec",
    "WaitingForGateway",
  ],
  ConflictFree: [pendingReason, "NoConflict", "RouteConflict"],
  KeyUnique: [pendingReason, "KeyUnique", "RoutingKeyConflict"],
} as const;

const spec = s.object({
  match: matchNode
    .optional()
    .describe(
      "Sandboxes of the same namespace that the group includes. Default: none. Exactly one of its fields must be set.",
    ),
  selector: labelSelector
    .optional()
    .describe("Limits the group to Services of the baseline with these labels. Default: all Services."),
  routingKey: ownedRoutingKey
    .optional()
    .setOnce("routingKey cannot be changed once it is set; create another group for another key")
    .describe("Key that marks requests for this group, unique in the cluster. Default: generated. Immutable."),
  routingKeyHeader: routingKeyHeader
    .default("X-Routing-Key")
    .describe("Additional header from which the keys of this group are read."),
  defaultRoutingKey: s
    .string()
    .max(routingKeyLengthMax)
    .pattern("^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)?$")
    .default("")
    .describe(
      "Routing key for requests without one, at endpoints of this group whose host does not contain the key of the group. Empty: the key of the group. baseline and production mean the baseline.",
    ),
  routes: s
    .list(route)
    .atomic()
    .max(routesMax)
    .default([])
    .describe("Explicit routes, evaluated in order before the routes derived from match."),
  endpoints: s.list(endpoint).mapBy("name").max(20).default([]).describe("Preview addresses of this group."),
  conflictPolicy: s
    .enum("Oldest", "Newest", "Reject")
    .default("Oldest")
    .describe(
      "Rule that decides which sandbox serves a Service that several matched sandboxes change. Reject: none of them.",
    ),
  ttl: duration
    .rule(atLeastRule({ seconds: 1, zero: false }))
    .optional()
    .describe("Lifetime: seconds, or a number with the unit s, m, h, d or w. Default: no expiry."),
  ttlFrom: s
    .enum("NoMatchedSandboxes", "CreatedAt", "UpdatedAt")
    .default("NoMatchedSandboxes")
    .describe("Start of the lifetime: the last time a sandbox matched, the creation, or the last change of the spec."),
  description: s.string().max(1024).default("").describe("Free text that describes the group."),
});

const names = s.list(s.string().max(63)).atomic();

const initialStatus = { conditions: initialConditions(routeGroupReasons), totalSandboxes: 0 };

const status = s
  .object({
    observedGeneration: s.int64().optional().describe("Generation that the status was derived from."),
    routingKey: s.string().max(63).optional().describe("Key that marks requests for this group. It never changes."),
    matchedSandboxes: names.max(1000).optional().describe("Sandboxes that the group includes, sorted."),
    totalSandboxes: count.describe("Number of matched sandboxes."),
    readySandboxes: count.describe("Number of matched sandboxes that are ready."),
    endpoints: s.list(endpointStatus).mapBy("name").max(20).optional().describe("Preview addresses."),
    conflicts: s
      .list(
        s.object({
          service: s.string().max(128).describe("Service of the baseline."),
          winner: s.string().max(63).default("").describe("Sandbox that serves it; empty if none does."),
          losers: names.max(1000).describe("Sandboxes whose entries are not used."),
        }),
      )
      .mapBy("service")
      .max(1000)
      .optional()
      .describe("Services that several matched sandboxes change."),
    renderers: s
      .list(
        s.object({
          name: s.string().max(63),
          objects: count.describe("Number of route tables or mesh routes."),
          synced: count.describe("Proxies or objects that have confirmed the current routes."),
          total: count,
        }),
      )
      .mapBy("name")
      .max(8)
      .optional()
      .describe("Progress of the route renderers."),
    specChangedAt: s.time().optional().describe("Time at which the operator saw the last change of the spec."),
    expiresAt: s.time().optional().describe("Time at which the group is deleted."),
    summary: s
      .object({ sandboxes: word.describe("Ready sandboxes of all matched sandboxes, such as 1/2.") })
      .optional()
      .describe("Values of printer columns."),
  })
  .default(initialStatus);

export const RouteGroup = defineResource({
  group,
  version,
  kind: "RouteGroup",
  shortNames: ["rg"],
  categories: [category, "all"],
  description:
    "RouteGroup joins several Sandboxes of a namespace under one routing key and publishes preview addresses for them.",
  name: metadataName,
  rules: [nameRule],
  spec,
  status,
  conditions: routeGroupReasons,
  columns: [
    { name: "Key", jsonPath: ".status.routingKey", description: "Routing key" },
    { name: "Sandboxes", jsonPath: ".status.summary.sandboxes", description: "Ready and all matched sandboxes" },
    { name: "Ready", condition: "Ready", description: "All routes are programmed and endpoints respond" },
    { name: "URL", jsonPath: ".status.endpoints[0].url", description: "First preview address" },
    ageColumn,
    { name: "Reason", condition: "Ready", show: "reason", priority: 1, description: "Reason of the condition Ready" },
    { name: "Expires", jsonPath: ".status.expiresAt", type: "string", priority: 1, description: "Time of deletion" },
  ],
});

/** A RouteGroup with the defaults of the schema, as the API server returns it. */
export type RouteGroup = ObjectOf<typeof RouteGroup>;
/** A RouteGroup as a client may write it, without defaults. */
export type RouteGroupInput = InputOf<typeof RouteGroup>;
/** A RouteGroup read from the cache. */
export type CachedRouteGroup = DeepReadonly<RouteGroup>;

export type RouteGroupSpec = RouteGroup["spec"];
export type RouteGroupStatus = RouteGroup["status"];
export type RouteGroupConditionType = ConditionTypeOf<RouteGroup>;
export type RouteGroupReason<C extends RouteGroupConditionType = RouteGroupConditionType> = ConditionReasonOf<
  RouteGroup,
  C
>;
export type ExplicitRoute = RouteGroupSpec["routes"][number];
export type MatchNode = NonNullable<RouteGroupSpec["match"]>;
export type LabelMatch = NonNullable<MatchNode["label"]>;
export type ConflictPolicy = RouteGroupSpec["conflictPolicy"];
