// The fields that the Redis of a tenant is asked for with.

import { s } from "@homeostat/schema";
import { componentPlacementFields, componentResources, imageFields, quantity } from "./spec-common.ts";

/** How the pods of Redis work together. */
export const redisModes = ["standalone", "replication"] as const;

/** How Redis keeps its data on disk. */
export const persistenceTypes = ["aof", "rdb", "both"] as const;

/** How often Redis makes sure that its log has reached the disk. */
export const fsyncPolicies = ["everysec", "always", "no"] as const;

/** What Redis gives up when its memory is full. */
export const maxmemoryPolicies = [
  "allkeys-lru",
  "volatile-lru",
  "allkeys-lfu",
  "volatile-lfu",
  "allkeys-random",
  "volatile-random",
  "volatile-ttl",
  "noeviction",
] as const;

const persistence = s.object({
  enabled: s.bool().optional().describe("True when left out. Cannot be changed later."),
  type: s
    .enum(...persistenceTypes)
    .optional()
    .describe("aof when left out."),
  fsync: s
    .enum(...fsyncPolicies)
    .optional()
    .describe("everysec when left out."),
  savePoints: s
    .list(s.string().max(64))
    .atomic()
    .max(20)
    .optional()
    .describe('For rdb and both: "<seconds> <changes>" each. When left out: 900 1, 300 10 and 60 10000.'),
});

const advanced = s.object({
  maxmemoryPolicy: s
    .enum(...maxmemoryPolicies)
    .optional()
    .describe("allkeys-lru when left out."),
  maxmemoryPercent: s.int().min(10).max(90).optional().describe("Of the memory limit. 75 when left out."),
  databases: s.int().min(1).max(1024).optional().describe("16 when left out."),
  tcpKeepalive: s.int().min(0).optional().describe("Seconds. 300 when left out."),
});

const security = s.object({
  enabled: s.bool().optional().describe("Whether clients need a password. True when left out."),
  authSecret: s
    .object({
      name: s.string().max(253),
      key: s.string().max(253).optional().describe("password when left out."),
      namespace: s.string().max(63).optional().describe("Empty for the tenant's, or the operator's."),
    })
    .optional()
    .describe("Where the password comes from. One is made when left out."),
  rotation: s
    .object({ interval: s.duration().min("24h").optional().describe("How often the password is changed.") })
    .optional(),
});

const exporter = s.object({
  enabled: s.bool().optional().describe("False when left out."),
  image: s.string().max(255).optional().describe("oliver006/redis_exporter:v1.43.0 when left out."),
  port: s.int().min(1).max(65_535).optional().describe("9121 when left out."),
  resources: componentResources.optional().describe("When left out: cpu from 10m to 100m, memory from 50Mi to 100Mi."),
});

/** That an optional field is the same before and after, or absent both times. */
const unchanged = (path: string, has: (root: string) => string) => ({
  rule: `${has("self")} == ${has("oldSelf")} && (!${has("self")} || self.${path} == oldSelf.${path})`,
  message: "field is immutable",
  fieldPath: `.${path}`,
});

/** What a tenant says about its Redis. */
export const redis = s
  .object({
    replicas: s.int().min(1).max(5).default(1).describe("The number of pods."),
    mode: s
      .enum(...redisModes)
      .optional()
      .describe("When left out: standalone with one replica, replication with more."),
    ...imageFields,
    image: imageFields.image.describe(
      "Redis 6.2 or later. When left out: what the operator is configured with, redis:7-alpine unless told otherwise.",
    ),
    resources: componentResources
      .optional()
      .describe("When left out: cpu from 100m to 300m, memory from 128Mi to 256Mi."),
    storage: quantity.default("1Gi").describe("The size of each pod's volume, at least 64Mi. Can grow, not shrink."),
    storageClassName: s
      .string()
      .max(253)
      .optional()
      .describe("The cluster's default when left out. Cannot be changed later."),
    persistence: persistence.optional(),
    advanced: advanced.optional(),
    config: s
      .map(s.string().max(256))
      .max(50)
      .optional()
      .describe("Directives of redis.conf. They win over advanced; those that the operator owns are refused."),
    security: security.optional(),
    exporter: exporter.optional().describe("A sidecar that tells Prometheus about Redis."),
    ...componentPlacementFields,
  })
  .rule(unchanged("storageClassName", (root) => `has(${root}.storageClassName)`))
  .rule(unchanged("persistence.enabled", (root) => `(has(${root}.persistence) && has(${root}.persistence.enabled))`));
