// Policy rules: the objects could be built, but must not be. Only admission checks them.

import type { DeepReadonly } from "homeostat";
import { isEqual, type Quantity, quantityFromJSON } from "@homeostat/core";
import { invalidField, type Problem, quantityIn } from "@homeostat/schema";
import type { Tenant } from "../api/tenant.ts";
import { type ResolvedTenant, resolveTenant } from "../build/resolve.ts";
import type { TenantSettings } from "../settings/settings.ts";
import { withDefaults } from "./structural.ts";

/** Returns the policy problems of a tenant that has passed the structural rules. */
export function policyProblems(given: DeepReadonly<Tenant>, settings: TenantSettings): Problem[] {
  const resolved = resolveTenant(withDefaults(given), settings);
  return [...quotaFitProblems(resolved), ...podSecurityFitProblems(resolved)];
}

/** Returns the problems of an update. Both tenants must conform to the schema. */
export function* changeProblems(given: DeepReadonly<Tenant>, previous: DeepReadonly<Tenant>): Iterable<Problem> {
  const { redis } = withDefaults(given).spec;
  const { redis: old } = withDefaults(previous).spec;
  const [now, before] = [quantityIn(redis.storage), quantityIn(old.storage)];
  if (now !== undefined && before !== undefined && now.isLessThan(before)) {
    yield invalidField("spec.redis.storage", redis.storage, "redis storage cannot shrink");
  }
  const immutable = [
    ["spec.redis.storageClassName", redis.storageClassName, old.storageClassName],
    ["spec.redis.persistence.enabled", redis.persistence?.enabled, old.persistence?.enabled],
  ] as const;
  for (const [path, value, former] of immutable) {
    if (!isEqual(value, former)) yield invalidField(path, value ?? null, "field is immutable");
  }
}

/** Finds security settings for which the server's pods would be rejected. Those of Redis satisfy every level. */
function* podSecurityFitProblems({ podSecurity, server }: ResolvedTenant): Iterable<Problem> {
  if (podSecurity.enforce !== "restricted") return;
  const path = "spec.server.securityContext";
  const because = "while spec.podSecurity.enforce is restricted";
  const { runAsNonRoot, allowPrivilegeEscalation, drop } = server.security;
  if (!runAsNonRoot) yield invalidField(`${path}.runAsNonRoot`, runAsNonRoot, `must be true ${because}`);
  if (allowPrivilegeEscalation) {
    yield invalidField(`${path}.allowPrivilegeEscalation`, allowPrivilegeEscalation, `must be false ${because}`);
  }
  if (!drop.includes("ALL")) yield invalidField(`${path}.capabilities.drop`, drop, `must contain ALL ${because}`);
}

/** Finds rows of the quota that the tenant's own pods exceed. */
function* quotaFitProblems(resolved: ResolvedTenant): Iterable<Problem> {
  const { quota, redis } = resolved;
  if (quota === undefined) return;
  const needs: Readonly<Record<string, Quantity>> = {
    "requests.cpu": podsNeed(resolved, "requests", "cpu"),
    "limits.cpu": podsNeed(resolved, "limits", "cpu"),
    "requests.memory": podsNeed(resolved, "requests", "memory"),
    "limits.memory": podsNeed(resolved, "limits", "memory"),
    ...(redis.isPersistent && { "requests.storage": quantityFromJSON(redis.storage).times(redis.replicas) }),
    pods: quantityFromJSON(serverPodsMax(resolved) + redis.replicas),
  };
  for (const [row, need] of Object.entries(needs)) {
    const allowed = quota.hard[row];
    if (allowed === undefined || !need.isGreaterThan(quantityFromJSON(allowed))) continue;
    const path = row === "pods" ? "spec.quota.counts[pods]" : "spec.resources";
    const what = row === "requests.storage" ? "Redis needs" : "server and Redis need";
    yield invalidField(path, allowed, `${what} ${need.canonical()} of ${row}, but the quota allows only ${allowed}`);
  }
}

function podsNeed(resolved: ResolvedTenant, side: "limits" | "requests", name: "cpu" | "memory"): Quantity {
  const { server, redis } = resolved;
  const one = (resources: typeof server.resources | undefined): Quantity =>
    quantityFromJSON(resources?.[side]?.[name] ?? 0);
  const perRedis = one(redis.resources).add(one(redis.exporter?.resources));
  return one(server.resources).times(serverPodsMax(resolved)).add(perRedis.times(redis.replicas));
}

/** Returns the maximum number of server pods during a rolling update. */
function serverPodsMax({ server: { replicas, strategy } }: ResolvedTenant): number {
  if (strategy.type === "Recreate") return replicas;
  const { maxSurge } = strategy.rollingUpdate;
  if (typeof maxSurge === "number") return replicas + maxSurge;
  return replicas + Math.ceil((replicas * Number.parseInt(maxSurge, 10)) / 100);
}
