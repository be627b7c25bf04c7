import { type DeepReadonly, isEqual } from "@homeostat/core";
import { Tenant, type TenantSpec } from "../api/tenant.ts";
import { resolve } from "../build/resolve.ts";
import type { TenantSettings } from "../settings/settings.ts";
import { amountOf } from "./amounts.ts";
import { quotaFitProblems } from "./quota-fit.ts";
import { invalid, type Problem } from "./problem.ts";

/**
 * Everything that a tenant may not ask for although it could be made, all at once; only admission asks.
 *
 * The tenant must have passed the structural rules.
 */
export function policyProblems(given: DeepReadonly<Tenant>, settings: TenantSettings): Problem[] {
  const wanted = resolve(Tenant.default(given), settings);
  return [...quotaFitProblems(wanted), ...podSecurityFitProblems(wanted)];
}

/** What may not become of what was there, all at once; only admission asks. Both must have the shape of a tenant. */
export function changeProblems(given: DeepReadonly<Tenant>, old: DeepReadonly<Tenant>): Problem[] {
  return [...redisChanges(Tenant.default(given).spec, Tenant.default(old).spec)];
}

function* redisChanges(
  { redis }: DeepReadonly<TenantSpec>,
  { redis: old }: DeepReadonly<TenantSpec>,
): Iterable<Problem> {
  const [now, before] = [amountOf(redis.storage), amountOf(old.storage)];
  if (now !== undefined && before !== undefined && now.isLessThan(before)) {
    yield invalid("spec.redis.storage", redis.storage, "redis storage cannot shrink");
  }
  const immutable = [
    ["spec.redis.storageClassName", redis.storageClassName, old.storageClassName],
    ["spec.redis.persistence.enabled", redis.persistence?.enabled, old.persistence?.enabled],
  ] as const;
  for (const [path, value, former] of immutable) {
    if (!isEqual(value, former)) yield invalid(path, value ?? null, "field is immutable");
  }
}

/** What pods of the server would be refused for. Those of Redis satisfy every level. */
function* podSecurityFitProblems({ podSecurity, server }: ReturnType<typeof resolve>): Iterable<Problem> {
  if (podSecurity.enforce !== "restricted") return;
  const path = "spec.server.securityContext";
  const because = "while spec.podSecurity.enforce is restricted";
  const { runAsNonRoot, allowPrivilegeEscalation, drop } = server.security;
  if (!runAsNonRoot) yield invalid(`${path}.runAsNonRoot`, runAsNonRoot, `must be true ${because}`);
  if (allowPrivilegeEscalation) {
    yield invalid(`${path}.allowPrivilegeEscalation`, allowPrivilegeEscalation, `must be false ${because}`);
  }
  if (!drop.includes("ALL")) yield invalid(`${path}.capabilities.drop`, drop, `must have ALL ${because}`);
}
