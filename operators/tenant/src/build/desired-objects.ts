import type { ResourceType } from "@homeostat/core";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { ConfigMap, LimitRange, ResourceQuota, Secret, Service, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import { RoleBinding } from "@homeostat/kubernetes/rbac/v1";
import type { Component } from "../api/identity.ts";
import type { Wanted } from "./resolved-tenant.ts";
import { accessBindings } from "./access.ts";
import { disruptionBudget } from "./disruption.ts";
import type { Made } from "./objects.ts";
import { networkPolicies } from "./policies.ts";
import { limitRange, resourceQuota } from "./quota.ts";
import { redisConfigMap, redisSecret, redisService, serviceAccount } from "./redis-config.ts";
import { redisStatefulSet } from "./redis-stateful-set.ts";
import { serverDeployment, serverService } from "./server-deployment.ts";
import type { Situation } from "./situation.ts";

/** The steps in which a tenant is built, after its namespace. Isolation comes before what is isolated. */
export const steps = ["quota", "network", "access", "redis", "server"] as const;

/** A step in which a tenant is built. */
export type Step = (typeof steps)[number];

/** One object that a tenant is made of. */
export interface Part {
  readonly step: Step;
  readonly component: Component;
  /** As events call it: "Redis StatefulSet". */
  readonly what: string;
  readonly type: ResourceType;
  readonly object: Made;
}

/**
 * Everything that a tenant is made of in its namespace, in the order of application.
 *
 * Quotas, limits, policies, bindings and budgets that are not in the list are not wanted, and what is there of them is to be
 * deleted; the Secret only where `auth` is off. Workloads are left out only while they cannot be started, and stay if they are
 * there.
 */
export function partsOf(wanted: Wanted, situation: Situation): Part[] {
  const { auth } = situation;
  const part = (
    step: Step,
    component: Component,
    [what, type, object]: readonly [string, ResourceType, Made | undefined],
  ): Part[] => (object === undefined ? [] : [{ step, component, what, type, object }]);
  const of = (step: Step, component: Component, ...parts: Parameters<typeof part>[2][]): Part[] =>
    parts.flatMap((one) => part(step, component, one));
  return [
    ...of(
      "quota",
      "quota",
      ["resource quota", ResourceQuota, resourceQuota(wanted)],
      ["limit range", LimitRange, limitRange(wanted)],
    ),
    ...networkPolicies(wanted).flatMap((policy) =>
      part("network", "network-policy", [`network policy ${policy.metadata.name}`, NetworkPolicy, policy]),
    ),
    ...accessBindings(wanted).flatMap((binding) =>
      part("access", "access", [`role binding ${binding.metadata.name}`, RoleBinding, binding]),
    ),
    ...of(
      "redis",
      "redis",
      ["Redis ServiceAccount", ServiceAccount, serviceAccount(wanted, "redis")],
      ["Redis ConfigMap", ConfigMap, redisConfigMap(wanted)],
      ["Redis Secret", Secret, auth.at === "known" ? redisSecret(wanted, auth.credentials) : undefined],
      ["Redis Service", Service, redisService(wanted)],
      ["Redis disruption budget", PodDisruptionBudget, disruptionBudget(wanted, "redis")],
      ["Redis StatefulSet", StatefulSet, redisStatefulSet(wanted, situation)],
    ),
    ...of(
      "server",
      "server",
      ["Server ServiceAccount", ServiceAccount, serviceAccount(wanted, "server")],
      ["Server Service", Service, serverService(wanted)],
      ["Server disruption budget", PodDisruptionBudget, disruptionBudget(wanted, "server")],
      ["Server Deployment", Deployment, serverDeployment(wanted, situation)],
    ),
  ];
}
