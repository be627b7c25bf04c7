import { type DeepReadonly, durationToMs, parseDuration, quantityFromJSON } from "@homeostat/core";
import { ports } from "../api/identity.ts";
import { names } from "../api/names.ts";
import type { RedisSpec, TenantSpec } from "../api/tenant.ts";
import { exporterImage } from "../settings/images.ts";
import { placementOf } from "./resolve-placement.ts";
import type { ResolveSettings } from "./resolve-settings.ts";
import { resourcesOf } from "./resolve-resources.ts";
import type {
  Wanted,
  WantedExporter,
  WantedRedis,
  WantedRedisSecurity,
  WantedRedisSettings,
} from "./resolved-tenant.ts";

const redisDefaults = { cpu: { limit: "300m", request: "100m" }, memory: { limit: "256Mi", request: "128Mi" } };
const exporterDefaults = { cpu: { limit: "100m", request: "10m" }, memory: { limit: "100Mi", request: "50Mi" } };
const bytesPerMebibyte = 1_048_576n;

/** What is wanted of a tenant's Redis. */
export function redisOf(
  spec: DeepReadonly<TenantSpec>,
  { defaultRedisImage }: ResolveSettings,
  { name, namespace }: Pick<Wanted, "name" | "namespace">,
): WantedRedis {
  const { redis } = spec;
  const mode = redis.mode ?? (redis.replicas === 1 ? "standalone" : "replication");
  const service = names.redis(name);
  const resources = resourcesOf(redis.resources, redisDefaults);
  return {
    replicas: redis.replicas,
    mode,
    host: mode === "replication" ? `${service}-0.${service}` : service,
    image: redis.image ?? defaultRedisImage,
    imagePullPolicy: redis.imagePullPolicy ?? "IfNotPresent",
    imagePullSecrets: redis.imagePullSecrets ?? [],
    resources,
    placement: placementOf(spec, redis),
    graceSeconds: redis.terminationGracePeriodSeconds ?? 60,
    storage: String(redis.storage),
    storageClassName: redis.storageClassName,
    isPersistent: redis.persistence?.enabled ?? true,
    settings: settingsOf(redis, resources.limits?.["memory"] ?? redisDefaults.memory.limit),
    security: securityOf(redis, namespace),
    exporter: exporterOf(spec),
  };
}

function settingsOf({ advanced, persistence, config }: DeepReadonly<RedisSpec>, memoryLimit: string | number) {
  const percent = BigInt(advanced?.maxmemoryPercent ?? 75);
  const settings: WantedRedisSettings = {
    databases: advanced?.databases ?? 16,
    tcpKeepalive: advanced?.tcpKeepalive ?? 300,
    // Whole megabytes: the rest of a percent is Redis' own need.
    maxmemoryMegabytes: (quantityFromJSON(memoryLimit).value() * percent) / 100n / bytesPerMebibyte,
    maxmemoryPolicy: advanced?.maxmemoryPolicy ?? "allkeys-lru",
    persistence: persistence?.type ?? "aof",
    fsync: persistence?.fsync ?? "everysec",
    savePoints: persistence?.savePoints ?? ["900 1", "300 10", "60 10000"],
    config: config ?? {},
  };
  return settings;
}

function securityOf({ security }: DeepReadonly<RedisSpec>, namespace: string): WantedRedisSecurity | undefined {
  if (security?.enabled === false) return undefined;
  const { authSecret, rotation } = security ?? {};
  return {
    authSecret:
      authSecret === undefined
        ? undefined
        : {
            namespace: (authSecret.namespace ?? "") === "" ? namespace : (authSecret.namespace ?? namespace),
            name: authSecret.name,
            key: authSecret.key ?? "password",
          },
    rotationIntervalMs: rotation?.interval === undefined ? undefined : durationToMs(parseDuration(rotation.interval)),
  };
}

function exporterOf({ redis: { exporter }, monitoring }: DeepReadonly<TenantSpec>): WantedExporter | undefined {
  if (exporter?.enabled !== true) return undefined;
  const port = exporter.port ?? ports.exporter;
  const { scrape = true, interval } = monitoring?.prometheus ?? {};
  return {
    image: exporter.image ?? exporterImage,
    port,
    resources: resourcesOf(exporter.resources, exporterDefaults),
    scrape: monitoring?.enabled === true && scrape ? { port, path: "/metrics", interval } : undefined,
  };
}
