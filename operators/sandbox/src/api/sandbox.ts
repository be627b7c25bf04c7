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
import { atLeastRule } from "./duration.ts";
import { category, group, keyPrefix, version } from "./identity.ts";
import { sandboxReasons, sandboxStatus } from "./sandbox-status.ts";
import { dnsLabel, duration, metadataName, nameRule, ownedRoutingKey, quantity } from "./spec-common.ts";
import { endpoint } from "./spec-endpoint.ts";
import { fault, faultsMax, provisionHook, provisionMax } from "./spec-hooks.ts";
import { entriesMax, serviceEntry } from "./spec-services.ts";

export const ttlSecondsDefault = 86_400;
export const ttlSecondsMin = 300;

/** A map of labels that the operator copies to all objects of a sandbox. */
const labels = s
  .map(
    s
      .string()
      .max(63)
      .pattern(String.raw`^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`),
  )
  .max(32)
  .rule({
    rule: `self.all(key, !key.startsWith('${keyPrefix}'))`,
    messageExpression: `'label ' + self.filter(key, key.startsWith('${keyPrefix}'))[0] + ' is reserved; use a key without the prefix ${keyPrefix}'`,
    message: `must not use keys with the prefix ${keyPrefix}`,
    reason: "FieldValueForbidden",
  });

const resources = s.object({
  cpu: quantity
    .optional()
    .describe("Ceiling of the CPU limits of all forks together. Default: limits.sandboxResources of the operator, 2."),
  memory: quantity
    .optional()
    .describe(
      "Ceiling of the memory limits of all forks together. Default: limits.sandboxResources of the operator, 2Gi.",
    ),
  pods: s.int().min(0).max(1000).default(20).describe("Ceiling of the replicas of all forks together."),
});

const idle = s.object({
  sleepAfterSeconds: s
    .int()
    .min(30)
    .max(31_536_000)
    .optional()
    .describe(
      "Scales forks to zero after this time without a routed request; the next request waits and wakes them. Default: never.",
    ),
  startIdle: s
    .bool()
    .default(false)
    .describe("If true, forks are created with zero replicas and start on the first request."),
  wakeTimeoutSeconds: s
    .int()
    .min(5)
    .max(600)
    .default(90)
    .describe("Seconds that a request waits for an idle fork to start before it fails."),
});

/**
 * A CEL condition: two entries have the same target. `namespace` is a reserved word of CEL and is written `__namespace__`. An entry
 * without a namespace and one with that of the sandbox are compared by validation: CEL does not see the namespace of the object.
 */
const sameTarget = [
  "a.targetRef.kind == b.targetRef.kind",
  "a.targetRef.name == b.targetRef.name",
  "(has(a.targetRef.__namespace__) ? a.targetRef.__namespace__ : '') == (has(b.targetRef.__namespace__) ? b.targetRef.__namespace__ : '')",
].join(" && ");

const spec = s
  .object({
    ttl: duration
      .default(ttlSecondsDefault)
      .rule(atLeastRule({ seconds: ttlSecondsMin, zero: true }))
      .describe(
        "Lifetime: seconds, or a number with the unit s, m, h, d or w. At least 5m; the operator and policies limit it.",
      ),
    ttlFrom: s
      .enum("CreatedAt", "UpdatedAt", "LastActivity")
      .default("CreatedAt")
      .describe("Start of the lifetime: the creation, the last change of the spec, or the last routed request."),
    description: s.string().max(1024).default("").describe("Free text that describes the sandbox."),
    labels: labels
      .default({})
      .describe("Labels of all objects that the operator creates for the sandbox. RouteGroups match them."),
    routingKey: ownedRoutingKey
      .optional()
      .setOnce("routingKey cannot be changed once it is set; create another sandbox for another key")
      .describe("Key that marks requests for this sandbox, unique in the cluster. Default: generated. Immutable."),
    services: s
      .list(serviceEntry)
      .mapBy("name")
      .max(entriesMax)
      .default([])
      .describe("Workloads of the baseline that the sandbox changes."),
    endpoints: s.list(endpoint).mapBy("name").max(10).default([]).describe("Preview addresses of this sandbox."),
    resources: resources.default({}).describe("Ceilings for all forks together."),
    idle: idle.default({}).describe("Scaling of forks to zero while no requests arrive."),
    suspend: s
      .bool()
      .default(false)
      .describe("If true, forks have no pods and routes are removed. The lifetime continues to count down."),
    priority: s
      .int()
      .min(-1000)
      .max(1000)
      .default(0)
      .describe(
        "Priority inside RouteGroups: if several sandboxes change the same Service, the one with the highest priority serves it.",
      ),
    provision: s
      .list(provisionHook)
      .mapBy("name")
      .max(provisionMax)
      .default([])
      .describe("Jobs that prepare what the forks need, such as a database."),
    faults: s
      .list(fault)
      .atomic()
      .max(faultsMax)
      .default([])
      .describe("Delays and errors for requests with the key of this sandbox."),
  })
  .rule({
    rule: `self.services.all(a, self.services.exists_one(b, ${sameTarget}))`,
    message: "each workload can be the target of one entry only; merge the entries with the same targetRef",
    reason: "FieldValueInvalid",
    fieldPath: ".services",
  });

export const Sandbox = defineResource({
  group,
  version,
  kind: "Sandbox",
  plural: "sandboxes",
  shortNames: ["sb"],
  categories: [category, "all"],
  description:
    "Sandbox runs changed versions of a few workloads next to the shared baseline. Requests that carry its routing key reach them; all other requests reach the baseline.",
  name: metadataName,
  rules: [nameRule],
  spec,
  status: sandboxStatus,
  conditions: sandboxReasons,
  columns: [
    { name: "Status", jsonPath: ".status.phase", description: "Phase of the sandbox" },
    { name: "Ready", condition: "Ready", description: "All entries are ready and their routes are programmed" },
    { name: "Key", jsonPath: ".status.routingKey", description: "Routing key" },
    { name: "Services", jsonPath: ".status.summary.services", description: "Ready and all entries" },
    { name: "Expires", jsonPath: ".status.expiresAt", type: "string", description: "Time of deletion" },
    ageColumn,
    { name: "Owner", jsonPath: ".status.createdBy", priority: 1, description: "User who created the sandbox" },
    { name: "Drift", jsonPath: ".status.summary.drift", priority: 1, description: "Worst drift from the baseline" },
    { name: "Reason", condition: "Ready", show: "reason", priority: 1, description: "Reason of the condition Ready" },
  ],
});

/** The name of a reference to a Sandbox in the same namespace. */
export const sandboxName = dnsLabel;

/** A Sandbox with the defaults of the schema, as the API server returns it. */
export type Sandbox = ObjectOf<typeof Sandbox>;
/** A Sandbox as a client may write it, without defaults. */
export type SandboxInput = InputOf<typeof Sandbox>;
/** A Sandbox read from the cache. */
export type CachedSandbox = DeepReadonly<Sandbox>;

export type SandboxSpec = Sandbox["spec"];
export type SandboxStatus = Sandbox["status"];
export type SandboxConditionType = ConditionTypeOf<Sandbox>;
export type SandboxReason<C extends SandboxConditionType = SandboxConditionType> = ConditionReasonOf<Sandbox, C>;
export type SandboxPhase = NonNullable<SandboxStatus["phase"]>;

export type ServiceEntry = SandboxSpec["services"][number];
export type EntryMode = ServiceEntry["mode"];
export type TargetRef = ServiceEntry["targetRef"];
export type ContainerChange = NonNullable<ServiceEntry["containers"]>[number];
export type EnvChange = NonNullable<ContainerChange["env"]>[number];
export type EntryPatch = NonNullable<ServiceEntry["patches"]>[number];
export type Endpoint = SandboxSpec["endpoints"][number];
export type ProvisionHook = SandboxSpec["provision"][number];
export type ProvisionStep = ProvisionHook["create"];
export type Fault = SandboxSpec["faults"][number];
export type EntryStatus = NonNullable<SandboxStatus["services"]>[number];
export type EntryState = EntryStatus["status"];
export type Drift = NonNullable<EntryStatus["drift"]>;

/** Returns the number of pods that an entry requests for its fork. */
export function entryReplicas(entry: Pick<ServiceEntry, "replicas">): number {
  return entry.replicas ?? 1;
}
