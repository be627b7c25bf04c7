import { ageColumn, defineResource, type InputOf, type ObjectOf, s } from "@homeostat/schema";
import { type ConditionType, conditionTypes } from "./status.ts";
import { group, kind } from "./identity.ts";
import { nameLengthMax, namePattern, nameProblem } from "./names.ts";
import { tenantSpec } from "./spec-tenant.ts";
import { type componentPhases, type phases, type rotationSteps, tenantStatus } from "./status.ts";

/** The kind Tenant. */
export const Tenant = defineResource({
  group,
  version: "v1",
  kind,
  scope: "Cluster",
  shortNames: ["nlt"],
  categories: ["neurallog"],
  description: "A customer of NeuralLog: a namespace with a Redis, a log server and the network rules between them.",
  // What a name may be is a rule of the whole, because only rules have words of their own.
  name: s.string().max(253),
  rules: [
    {
      rule: `self.metadata.name.size() <= ${nameLengthMax} && self.metadata.name.matches('${namePattern}')`,
      message: nameProblem,
      fieldPath: ".metadata.name",
    },
  ],
  spec: tenantSpec,
  status: tenantStatus,
  conditions: conditionTypes,
  columns: [
    { name: "Status", jsonPath: ".status.phase" },
    { name: "Namespace", jsonPath: ".status.namespace" },
    { name: "Server", jsonPath: ".status.serverStatus.phase" },
    { name: "Redis", jsonPath: ".status.redisStatus.phase" },
    ageColumn,
    { name: "Display Name", jsonPath: ".spec.displayName", priority: 1 },
    { name: "Ready", condition: "Ready", priority: 1 },
    { name: "Message", jsonPath: ".status.message", priority: 1 },
  ],
});

/** A tenant as it is read: the defaults of the schema are filled in. */
export type Tenant = ObjectOf<typeof Tenant>;
/** A tenant as it may be written. */
export type TenantInput = InputOf<typeof Tenant>;
/** What a tenant asks for. */
export type TenantSpec = Tenant["spec"];
/** What is known about a tenant. */
export type TenantStatus = NonNullable<Tenant["status"]>;
/** One condition of a tenant. */
export type TenantCondition = NonNullable<TenantStatus["conditions"]>[number] & { type: ConditionType };

/** Where a tenant stands. */
export type Phase = (typeof phases)[number];
/** Where a component stands. */
export type ComponentPhase = (typeof componentPhases)[number];
/** What is known about a component. */
export type ComponentStatus = NonNullable<TenantStatus["serverStatus"]>;
/** How far the change of a password is. */
export type RotationStep = (typeof rotationSteps)[number];
/** What is known about the password of Redis. */
export type RedisCredentials = NonNullable<TenantStatus["redisCredentials"]>;

/** What a tenant says about its server. */
export type ServerSpec = TenantSpec["server"];
/** What a tenant says about its Redis. */
export type RedisSpec = TenantSpec["redis"];
/** What a tenant says about its network. */
export type NetworkPolicySpec = TenantSpec["networkPolicy"];
/** What a tenant says about monitoring. */
export type MonitoringSpec = NonNullable<TenantSpec["monitoring"]>;
/** One variable of the server. */
export type EnvEntry = NonNullable<ServerSpec["env"]>[number];
/** How the server is asked whether it is well. */
export type ProbeSpec = NonNullable<NonNullable<ServerSpec["probes"]>["liveness"]>;
/** One rule about who may come in or what may be reached. */
export type NetworkRule = NonNullable<NetworkPolicySpec["ingressRules"]>[number];
/** What the whole tenant may use. */
export type TenantResources = NonNullable<TenantSpec["resources"]>;
/** What the containers of one component get. */
export type ComponentResources = NonNullable<ServerSpec["resources"]>;
/** Limit and request of one resource. */
export type Amounts = NonNullable<ComponentResources["cpu"]>;
/** Who is given access. */
export type AccessSubject = NonNullable<NonNullable<TenantSpec["access"]>["admins"]>[number];
/** What pods in the tenant's namespace are held to. */
export type PodSecuritySpec = NonNullable<TenantSpec["podSecurity"]>;
