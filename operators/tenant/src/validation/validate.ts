// Validation at admission: problems deny a tenant, warnings are shown to the user.

import type { DeepReadonly } from "homeostat";
import { parseImage } from "@homeostat/core";
import { isKnownProblem, type Problem, shortMessage } from "@homeostat/schema";
import type { Tenant, TenantSpec } from "../api/tenant.ts";
import { resolveTenant } from "../build/resolve.ts";
import type { TenantSettings } from "../settings/settings.ts";
import { changeProblems, policyProblems } from "./policy.ts";
import { schemaProblems, structuralProblems, withDefaults } from "./structural.ts";

export interface TenantWarning {
  readonly path: string;
  readonly message: string;
}

export interface ValidationResult {
  readonly problems: readonly Problem[];
  readonly warnings: readonly TenantWarning[];
}

/**
 * Validates a tenant that is created, or that replaces `old`.
 *
 * - A tenant that is being deleted is always allowed: its finalizer must be removable.
 * - A problem that `old` already had is a warning, so that a new rule does not block changes of existing tenants.
 */
export function validateTenant(
  tenant: DeepReadonly<Tenant>,
  { old, settings }: { readonly old?: DeepReadonly<Tenant> | undefined; readonly settings: TenantSettings },
): ValidationResult {
  if (isDeleting(tenant) || (old !== undefined && isDeleting(old))) return { problems: [], warnings: [] };
  const isExisting = isKnownProblem(old === undefined ? [] : currentProblems(old, settings));
  const structural = structuralProblems(tenant, settings);
  const all = currentProblems(tenant, settings, structural);
  const isWellFormed = old !== undefined && [tenant, old].every((each) => !schemaProblems(each).isMalformed);
  return {
    problems: [...all.filter((problem) => !isExisting(problem)), ...(isWellFormed ? changeProblems(tenant, old) : [])],
    warnings: [
      ...all.filter(isExisting).map((problem) => ({
        path: problem.path,
        message: `${shortMessage(problem)} (already present before this update)`,
      })),
      ...(structural.length === 0 ? tenantWarnings(tenant, settings) : []),
    ],
  };
}

/** Returns the problems of a tenant that do not depend on its previous state. */
function currentProblems(
  tenant: DeepReadonly<Tenant>,
  settings: TenantSettings,
  structural: readonly Problem[] = structuralProblems(tenant, settings),
): readonly Problem[] {
  // Policy rules rely on the structural ones: they add up quantities that must be valid.
  return structural.length > 0 ? structural : policyProblems(tenant, settings);
}

function isDeleting({ metadata }: DeepReadonly<Tenant>): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null;
}

/** Returns warnings about a tenant that has passed the structural rules. */
function tenantWarnings(given: DeepReadonly<Tenant>, settings: TenantSettings): TenantWarning[] {
  const tenant = withDefaults(given);
  return [
    ...imageWarnings(tenant, settings),
    ...versionWarnings(tenant.spec),
    ...redisWarnings(tenant.spec),
    ...networkWarnings(tenant.spec),
  ];
}

function* imageWarnings(tenant: DeepReadonly<Tenant>, settings: TenantSettings): Iterable<TenantWarning> {
  const { server, redis } = resolveTenant(tenant, settings);
  const images = [
    ["spec.server.image", server.image],
    ["spec.redis.image", redis.image],
    ["spec.redis.exporter.image", redis.exporter?.image],
  ] as const;
  for (const [path, image] of images) {
    const { tag = "latest", digest } = parseImage(image ?? "none:1") ?? {};
    if (tag === "latest" && digest === undefined) {
      yield { path, message: "uses the tag latest, which changes with every release; set a version" };
    }
  }
}

function* versionWarnings({ version, server: { image } }: DeepReadonly<TenantSpec>): Iterable<TenantWarning> {
  if (version === undefined || image === undefined) return;
  const { tag = "latest", digest } = parseImage(image) ?? {};
  if (digest === undefined && (tag === "latest" || tag === version)) return;
  yield { path: "spec.version", message: `has no effect: spec.server.image already sets ${digest ?? tag}` };
}

function* redisWarnings({ redis }: DeepReadonly<TenantSpec>): Iterable<TenantWarning> {
  if (redis.security?.enabled === false) {
    yield { path: "spec.redis.security.enabled", message: "is false: every pod of the tenant can read all data" };
  }
  const written = redis.config?.["maxmemory-policy"];
  const policy = written ?? redis.advanced?.maxmemoryPolicy ?? "noeviction";
  if (policy !== "noeviction" && redis.persistence?.enabled !== false) {
    const path = written === undefined ? "spec.redis.advanced.maxmemoryPolicy" : "spec.redis.config[maxmemory-policy]";
    yield { path, message: "lets Redis evict data when its memory is full; use noeviction if no data may be lost" };
  }
}

function* networkWarnings({ networkPolicy }: DeepReadonly<TenantSpec>): Iterable<TenantWarning> {
  if (networkPolicy.enabled) return;
  yield { path: "spec.networkPolicy.enabled", message: "is false: the tenant is open to every pod of the cluster" };
}
