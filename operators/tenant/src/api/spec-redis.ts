import { s } from "homeostat";
import { componentPlacementFields, componentResources, imageFields, quantity } from "./spec-common.ts";

const persistence = s.object({
  enabled: s.bool().optional().describe("Default: true. Immutable."),
  type: s.enum("aof", "rdb", "both").optional().describe("Default: aof."),
  fsync: s.enum("everysec", "always", "no").optional().describe("Default: everysec."),
  savePoints: s
    .list(s.string().max(64))
    .atomic()
    .max(20)
    .optional()
    .describe(
      'RDB save points of the types rdb and both, as "<seconds> <changes>". Default: 900 1, 300 10 and 60 10000.',
    ),
});

const advanced = s.object({
  maxmemoryPolicy: s
    .enum(
      "allkeys-lru",
      "volatile-lru",
      "allkeys-lfu",
      "volatile-lfu",
      "allkeys-random",
      "volatile-random",
      "volatile-ttl",
      "noeviction",
    )
    .optional()
    .describe("Default: allkeys-lru."),
  maxmemoryPercent: s
    .int()
    .min(10)
    .max(90)
    .optional()
    .describe("maxmemory in percent of the memory limit. Default: 75."),
  databases: s.int().min(1).max(1024).optional().describe("Default: 16."),
  tcpKeepalive: s.int().min(0).optional().describe("In seconds. Default: 300."),
});

const security = s.object({
  enabled: s.bool().optional().describe("If true, clients need a password. Default: true."),
  authSecret: s
    .object({
      name: s.string().max(253),
      key: s.string().max(253).optional().describe("Default: password."),
      namespace: s
        .string()
        .max(63)
        .optional()
        .describe(
          "Namespace of the Secret: the operator's namespace, or empty for the tenant's namespace. In the operator's namespace, the annotation neurallog.io/shared-with-tenants of the Secret must name the tenant.",
        ),
    })
    .optional()
    .describe("Secret with the password. Default: the operator generates a password."),
  rotation: s
    .object({ interval: s.duration().min("24h").optional().describe("Maximum age of the password.") })
    .optional(),
});

const exporter = s.object({
  enabled: s.bool().optional().describe("Default: false."),
  image: s.string().max(255).optional().describe("Default: oliver006/redis_exporter:v1.43.0."),
  port: s.int().min(1).max(65_535).optional().describe("Default: 9121."),
  resources: componentResources
    .optional()
    .describe("Default requests: cpu 10m, memory 50Mi. Default limits: cpu 100m, memory 100Mi."),
});

/** A CEL rule: an optional field keeps its value, or stays absent. */
const unchanged = (path: string, has: (root: string) => string) => ({
  rule: `${has("self")} == ${has("oldSelf")} && (!${has("self")} || self.${path} == oldSelf.${path})`,
  message: "field is immutable",
  fieldPath: `.${path}`,
});

export const redis = s
  .object({
    replicas: s.int().min(1).max(5).default(1).describe("Number of pods."),
    mode: s
      .enum("standalone", "replication")
      .optional()
      .describe("Default: standalone with one replica, replication with more."),
    ...imageFields,
    image: imageFields.image.describe(
      "Redis 6.2 or later. Default: the operator's --default-redis-image, redis:7-alpine.",
    ),
    resources: componentResources
      .optional()
      .describe("Default requests: cpu 100m, memory 128Mi. Default limits: cpu 300m, memory 256Mi."),
    storage: quantity.default("1Gi").describe("Size of each pod's volume, at least 64Mi. Can grow, not shrink."),
    storageClassName: s.string().max(253).optional().describe("Default: the cluster's default class. Immutable."),
    persistence: persistence.optional(),
    advanced: advanced.optional(),
    config: s
      .map(s.string().max(256))
      .max(50)
      .optional()
      .describe(
        "Directives of redis.conf. They override the fields of advanced. Directives that the operator manages are rejected.",
      ),
    security: security.optional(),
    exporter: exporter.optional().describe("Prometheus exporter, run as a sidecar."),
    ...componentPlacementFields,
  })
  .rule(unchanged("storageClassName", (root) => `has(${root}.storageClassName)`))
  .rule(unchanged("persistence.enabled", (root) => `(has(${root}.persistence) && has(${root}.persistence.enabled))`));
