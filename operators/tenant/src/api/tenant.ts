import { defineResource, type InputOf, type ObjectOf, s } from "homeostat";
import { ageColumn } from "@homeostat/schema";
import { group, kind } from "./identity.ts";
import { nameLengthMax, namePattern, nameProblem } from "./names.ts";
import { tenantSpec } from "./spec-tenant.ts";
import { type componentPhases, type phases, reasons, type rotationSteps, tenantStatus } from "./status.ts";

export const Tenant = defineResource({
  group,
  version: "v1",
  kind,
  scope: "Cluster",
  shortNames: ["nlt"],
  categories: ["neurallog"],
  description: "Tenant is a customer of NeuralLog: a namespace with a Redis, a log server and network policies.",
  // A rule instead of a pattern on the name: only rules have a message of their own.
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
  conditions: reasons,
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

/** A Tenant as it is read, with the defaults of the schema. */
export type Tenant = ObjectOf<typeof Tenant>;
/** A Tenant as it may be written. */
export type TenantInput = InputOf<typeof Tenant>;
export type TenantSpec = Tenant["spec"];
export type TenantStatus = NonNullable<Tenant["status"]>;
export type TenantCondition = NonNullable<TenantStatus["conditions"]>[number];

export type Phase = (typeof phases)[number];
export type ComponentPhase = (typeof componentPhases)[number];
export type ComponentStatus = NonNullable<TenantStatus["serverStatus"]>;
export type RotationStep = (typeof rotationSteps)[number];
export type RedisCredentials = NonNullable<TenantStatus["redisCredentials"]>;

export type ServerSpec = TenantSpec["server"];
export type RedisSpec = TenantSpec["redis"];
export type NetworkPolicySpec = TenantSpec["networkPolicy"];
export type MonitoringSpec = NonNullable<TenantSpec["monitoring"]>;
export type ProbeSpec = NonNullable<NonNullable<ServerSpec["probes"]>["liveness"]>;
export type NetworkRule = NonNullable<NetworkPolicySpec["ingressRules"]>[number];
export type TenantResources = NonNullable<TenantSpec["resources"]>;
export type ComponentResources = NonNullable<ServerSpec["resources"]>;
export type Amounts = NonNullable<ComponentResources["cpu"]>;
export type AccessSubject = NonNullable<NonNullable<TenantSpec["access"]>["admins"]>[number];
export type PodSecuritySpec = NonNullable<TenantSpec["podSecurity"]>;
