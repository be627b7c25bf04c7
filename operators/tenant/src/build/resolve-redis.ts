import type { DeepReadonly } from "homeostat";
import { durationToMs, parseDuration, quantityFromJSON } from "@homeostat/core";
import { ports } from "../api/identity.ts";
import { names } from "../api/names.ts";
import type { RedisSpec, TenantSpec } from "../api/tenant.ts";
import { exporterImage } from "../settings/settings.ts";
import type { ResolveSettings } from "../settings/settings.ts";
import { resolvePods, resolveResources } from "./resolve-resources.ts";

const redisDefaults = { cpu: { limit: "300m", request: "100m" }, memory: { limit: "256Mi", request: "128Mi" } };
const exporterDefaults = { cpu: { limit: "100m", request: "10m" }, memory: { limit: "100Mi", request: "50Mi" } };
const bytesPerMebibyte = 1_048_576n;

export function resolveRedis(
  spec: DeepReadonly<TenantSpec>,
  { defaultRedisImage }: ResolveSettings,
  { name, namespace }: { readonly name: string; readonly namespace: string },
) {
  const { redis } = spec;
  const mode = redis.mode ?? (redis.replicas === 1 ? "standalone" : "replication");
  const service = names.redis(name);
  const pods = resolvePods(spec, redis, { resources: redisDefaults, image: defaultRedisImage, graceSeconds: 60 });
  return {
    ...pods,
    mode,
    /** The name at which clients in the namespace reach the master. */
    host: mode === "replication" ? `${service}-0.${service}` : service,
    storage: String(redis.storage),
    storageClassName: redis.storageClassName,
    isPersistent: redis.persistence?.enabled ?? true,
    conf: resolveConf(redis, pods.resources.limits?.["memory"] ?? redisDefaults.memory.limit),
    /** Undefined when clients need no password. */
    security: resolveSecurity(redis, { name, namespace }),
    exporter: resolveExporter(spec),
  };
}

/** Resolves the values of `redis.conf`. */
function resolveConf({ advanced, persistence, config }: DeepReadonly<RedisSpec>, memoryLimit: string | number) {
  const percent = BigInt(advanced?.maxmemoryPercent ?? 75);
  return {
    databases: advanced?.databases ?? 16,
    tcpKeepalive: advanced?.tcpKeepalive ?? 300,
    maxmemoryMegabytes: (quantityFromJSON(memoryLimit).value() * percent) / 100n / bytesPerMebibyte,
    maxmemoryPolicy: advanced?.maxmemoryPolicy ?? "allkeys-lru",
    persistence: persistence?.type ?? "aof",
    fsync: persistence?.fsync ?? "everysec",
    savePoints: persistence?.savePoints ?? ["900 1", "300 10", "60 10000"],
    /** The user's directives; they win over all others. */
    config: config ?? {},
  };
}

function resolveSecurity(
  { security }: DeepReadonly<RedisSpec>,
  tenant: { readonly name: string; readonly namespace: string },
) {
  if (security?.enabled === false) return undefined;
  const { authSecret, rotation } = security ?? {};
  const secretNamespace = authSecret?.namespace || tenant.namespace;
  return {
    /** The Secret that gives the password; undefined when the operator generates it. */
    authSecret:
      authSecret === undefined
        ? undefined
        : {
            namespace: secretNamespace,
            name: authSecret.name,
            key: authSecret.key ?? "password",
            /** The tenant that the Secret must consent to; undefined for a Secret of the tenant's own namespace. */
            sharedWith: secretNamespace === tenant.namespace ? undefined : tenant.name,
          },
    rotationIntervalMs: rotation?.interval === undefined ? undefined : durationToMs(parseDuration(rotation.interval)),
  };
}

function resolveExporter({ redis: { exporter }, monitoring }: DeepReadonly<TenantSpec>) {
  if (exporter?.enabled !== true) return undefined;
  const port = exporter.port ?? ports.exporter;
  const { scrape = true, interval } = monitoring?.prometheus ?? {};
  return {
    image: exporter.image ?? exporterImage,
    port,
    resources: resolveResources(exporter.resources, exporterDefaults),
    scrape: monitoring?.enabled === true && scrape ? { port, path: "/metrics", interval } : undefined,
  };
}
