import type { DeepReadonly } from "@homeostat/core";
import { Tenant, type TenantSpec } from "../api/tenant.ts";
import { resolve } from "../build/resolve.ts";
import { parseImage } from "../settings/images.ts";
import type { TenantSettings } from "../settings/settings.ts";

/** Something that a user may not have meant. */
export interface TenantWarning {
  readonly path: string;
  readonly message: string;
}

/** What there is to say about a tenant that is allowed. It must have passed the structural rules. */
export function tenantWarnings(given: DeepReadonly<Tenant>, settings: TenantSettings): TenantWarning[] {
  const tenant: DeepReadonly<Tenant> = Tenant.default(given);
  return [
    ...imageWarnings(tenant, settings),
    ...versionWarnings(tenant.spec),
    ...redisWarnings(tenant.spec),
    ...networkWarnings(tenant.spec),
  ];
}

function* imageWarnings(tenant: DeepReadonly<Tenant>, settings: TenantSettings): Iterable<TenantWarning> {
  const { server, redis } = resolve(tenant, settings);
  const images = [
    ["spec.server.image", server.image],
    ["spec.redis.image", redis.image],
    ["spec.redis.exporter.image", redis.exporter?.image],
  ] as const;
  for (const [path, image] of images) {
    const { tag = "latest", digest } = parseImage(image ?? "none:1") ?? {};
    if (tag === "latest" && digest === undefined) {
      yield { path, message: "has the tag latest, which is another image after every release; name a version" };
    }
  }
}

function* versionWarnings({ version, server: { image } }: DeepReadonly<TenantSpec>): Iterable<TenantWarning> {
  if (version === undefined || image === undefined) return;
  const { tag = "latest", digest } = parseImage(image) ?? {};
  if (digest === undefined && (tag === "latest" || tag === version)) return;
  yield { path: "spec.version", message: `has no effect: spec.server.image says ${digest ?? tag}` };
}

function* redisWarnings({ redis }: DeepReadonly<TenantSpec>): Iterable<TenantWarning> {
  if (redis.security?.enabled === false) {
    yield { path: "spec.redis.security.enabled", message: "is false: every pod of the tenant can read all data" };
  }
  const written = redis.config?.["maxmemory-policy"];
  const policy = written ?? redis.advanced?.maxmemoryPolicy ?? "noeviction";
  if (policy !== "noeviction" && redis.persistence?.enabled !== false) {
    const path = written === undefined ? "spec.redis.advanced.maxmemoryPolicy" : "spec.redis.config[maxmemory-policy]";
    yield { path, message: "lets Redis drop data that it is asked to keep; use noeviction where nothing may be lost" };
  }
}

function* networkWarnings({ networkPolicy }: DeepReadonly<TenantSpec>): Iterable<TenantWarning> {
  if (networkPolicy.enabled) return;
  yield { path: "spec.networkPolicy.enabled", message: "is false: the tenant is open to every pod of the cluster" };
}
