// ConfigMap, Secret and Service of Redis.

import { formatTime } from "@homeostat/core";
import type { ConfigMap, Secret, Service } from "@homeostat/kubernetes/core/v1";
import { annotations, ports } from "../api/identity.ts";
import { names } from "../api/names.ts";
import type { Credentials } from "./credentials.ts";
import { type ChildObject, metadataOf, selectorOf } from "./objects.ts";
import { secretTexts } from "./redis-secret.ts";
import type { ResolvedRedis, ResolvedTenant } from "./resolve.ts";

/** The mount path of the files of the Redis Secret. */
export const authFolder = "/etc/redis-auth";

export function redisConfigMap(resolved: ResolvedTenant): ChildObject<ConfigMap> {
  return {
    metadata: metadataOf(resolved, { name: names.redisConfig(resolved.name), component: "redis" }),
    data: { "redis.conf": redisConf(resolved.redis) },
  };
}

type Directive = readonly [key: string, ...values: string[]];

/** Builds `redis.conf`. A user's directive replaces the operator's of the same key in place; the others come last, sorted. */
export function redisConf({ mode, security, conf }: Pick<ResolvedRedis, "mode" | "security" | "conf">): string {
  const { databases, tcpKeepalive, maxmemoryMegabytes, maxmemoryPolicy, persistence, fsync, config } = conf;
  const hasPassword = security !== undefined;
  const directives: Directive[] = [
    ["port", "6379"],
    ["bind", "* -::*"],
    // In protected mode Redis 7 rejects remote clients while its default user has no password.
    ["protected-mode", hasPassword ? "yes" : "no"],
    ["daemonize", "no"],
    ["dir", "/data"],
    ["logfile", '""'],
    ["loglevel", "notice"],
    ["databases", String(databases)],
    ["tcp-keepalive", String(tcpKeepalive)],
    ["maxmemory", `${maxmemoryMegabytes}mb`],
    ["maxmemory-policy", maxmemoryPolicy],
    ["appendonly", persistence === "rdb" ? "no" : "yes"],
    ["appendfsync", fsync],
    ["save", ...(persistence === "aof" ? ['""'] : conf.savePoints)],
    ...(hasPassword ? [["aclfile", `${authFolder}/users.acl`] as const] : []),
    ...(hasPassword && mode === "replication" ? [["include", `${authFolder}/replica.conf`] as const] : []),
  ];
  const known = new Set(directives.map(([key]) => key));
  const others = Object.keys(config).filter((key) => !known.has(key));
  // A directive without a value keeps Redis from starting.
  const given = (key: string): string => (config[key]?.trim() ? config[key] : '""');
  return [
    ...directives.map((each): Directive => (Object.hasOwn(config, each[0]) ? [each[0], given(each[0])] : each)),
    ...others.toSorted().map((key): Directive => [key, given(key)]),
  ]
    .flatMap(([key, ...values]) => values.map((value) => `${key} ${value}\n`))
    .join("");
}

/** Builds the Secret. The state of the password rotation is in its annotations. */
export function redisSecret(resolved: ResolvedTenant, credentials: Credentials): ChildObject<Secret> {
  const { token, step, stepAtMs, rotatedAtMs } = credentials;
  const texts = Object.entries(secretTexts(credentials, resolved.redis));
  return {
    metadata: {
      ...metadataOf(resolved, { name: names.redisAuth(resolved.name), component: "redis" }),
      annotations: {
        [annotations.rotationStep]: step,
        [annotations.rotationStepAt]: formatTime(stepAtMs),
        [annotations.rotatedAt]: formatTime(rotatedAtMs),
        ...(token !== undefined && { [annotations.rotationToken]: token }),
      },
    },
    type: "Opaque",
    data: Object.fromEntries(texts.map(([key, text]) => [key, Buffer.from(text).toString("base64")])),
  };
}

/** Builds a headless Service, so that each Redis pod has a DNS name. */
export function redisService(resolved: ResolvedTenant): ChildObject<Service> {
  const { exporter } = resolved.redis;
  return {
    metadata: metadataOf(resolved, { name: names.redis(resolved.name), component: "redis" }),
    spec: {
      clusterIP: "None",
      selector: selectorOf(resolved, "redis"),
      ports: [
        { name: "redis", protocol: "TCP", port: ports.redis, targetPort: "redis" },
        ...(exporter === undefined
          ? []
          : [{ name: "metrics", protocol: "TCP", port: exporter.port, targetPort: "metrics" } as const]),
      ],
    },
  };
}
