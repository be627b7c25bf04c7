import type { ResourceType } from "homeostat";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, LimitRange, ResourceQuota, Secret, Service, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import { RoleBinding } from "@homeostat/kubernetes/rbac/v1";
import type { Component } from "../api/identity.ts";
import type { Credentials } from "./credentials.ts";
import { accessBindings, limitRange, resourceQuota } from "./namespace.ts";
import { networkPolicies } from "./network-policies.ts";
import { type ChildObject, disruptionBudget, serviceAccount } from "./objects.ts";
import { redisConfigMap, redisSecret, redisService } from "./redis-config.ts";
import { redisStatefulSet } from "./redis-stateful-set.ts";
import type { ResolvedTenant } from "./resolve.ts";
import { serverDeployment, serverService } from "./server.ts";

/** The password state of Redis. */
export type RedisAuth =
  | { readonly state: "disabled" }
  /** The Secret of `security.authSecret` cannot be used, and there is no earlier password: no pod can start. */
  | { readonly state: "waiting" }
  | { readonly state: "known"; readonly credentials: Credentials };

/** Decisions that desired objects depend on, in addition to the resolved spec. */
export interface Decisions {
  readonly auth: RedisAuth;
  /** Replicas to have now: fewer than in the spec while a tenant hibernates or resumes. */
  readonly replicas: { readonly redis: number; readonly server: number };
  /** The immutable size in the claim template of the existing StatefulSet; undefined to use the size of the spec. */
  readonly claimSize: string | undefined;
}

/** The steps in which children are applied: isolation before the workloads it isolates. */
export const steps = ["quota", "network", "access", "redis", "server"] as const;

/** One desired object in the tenant's namespace. */
export interface DesiredChild {
  readonly step: (typeof steps)[number];
  readonly component: Component;
  /** The name in events: "Redis StatefulSet". */
  readonly title: string;
  readonly type: ResourceType;
  readonly object: ChildObject;
}

/**
 * Returns all desired objects in the tenant's namespace, in the order of application.
 *
 * A quota, limit range, policy, binding or budget that is not in the list is to be deleted, and the Secret when `auth` is
 * disabled. Workloads are omitted only while they cannot start, and then existing ones stay.
 */
export function desiredChildren(resolved: ResolvedTenant, decisions: Decisions): DesiredChild[] {
  const { auth } = decisions;
  const secret = auth.state === "known" ? redisSecret(resolved, auth.credentials) : undefined;
  const rows: readonly Row[] = [
    ["quota", "quota", "resource quota", ResourceQuota, resourceQuota(resolved)],
    ["quota", "quota", "limit range", LimitRange, limitRange(resolved)],
    ...networkPolicies(resolved).map((policy): Row => [
      "network",
      "network-policy",
      `network policy ${policy.metadata.name}`,
      NetworkPolicy,
      policy,
    ]),
    ...accessBindings(resolved).map((binding): Row => [
      "access",
      "access",
      `role binding ${binding.metadata.name}`,
      RoleBinding,
      binding,
    ]),
    ["redis", "redis", "Redis ServiceAccount", ServiceAccount, serviceAccount(resolved, "redis")],
    ["redis", "redis", "Redis ConfigMap", ConfigMap, redisConfigMap(resolved)],
    ["redis", "redis", "Redis Secret", Secret, secret],
    ["redis", "redis", "Redis Service", Service, redisService(resolved)],
    ["redis", "redis", "Redis disruption budget", PodDisruptionBudget, disruptionBudget(resolved, "redis")],
    ["redis", "redis", "Redis StatefulSet", StatefulSet, redisStatefulSet(resolved, decisions)],
    ["server", "server", "Server ServiceAccount", ServiceAccount, serviceAccount(resolved, "server")],
    ["server", "server", "Server Service", Service, serverService(resolved)],
    ["server", "server", "Server disruption budget", PodDisruptionBudget, disruptionBudget(resolved, "server")],
    ["server", "server", "Server Deployment", Deployment, serverDeployment(resolved, decisions)],
  ];
  return rows.flatMap(([step, component, title, type, object]) =>
    object === undefined ? [] : [{ step, component, title, type, object }],
  );
}

type Row = readonly [DesiredChild["step"], Component, string, ResourceType, ChildObject | undefined];
