import { formatTime } from "@homeostat/core";
import type { ConfigMap, Secret, Service, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { annotations, ports } from "../api/identity.ts";
import { names } from "../api/names.ts";
import type { Credentials } from "../decide/credentials.ts";
import { secretTexts } from "./redis-secret.ts";
import type { Wanted } from "./resolved-tenant.ts";
import { type Made, metadataOf, selectorOf } from "./objects.ts";
import { redisConf } from "./redis-conf.ts";

/** The account of a component's pods. Nothing is allowed to it, and its token is not mounted. */
export function serviceAccount(wanted: Wanted, component: "redis" | "server"): Made<ServiceAccount> {
  return {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: metadataOf(wanted, { name: names[component](wanted.name), component }),
    automountServiceAccountToken: false,
  };
}

/** The configuration of Redis. */
export function redisConfigMap(wanted: Wanted): Made<ConfigMap> {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: metadataOf(wanted, { name: names.redisConfig(wanted.name), component: "redis" }),
    data: { "redis.conf": redisConf(wanted.redis) },
  };
}

/** The passwords of Redis, what is made from them, and how far a change of them is. */
export function redisSecret(wanted: Wanted, credentials: Credentials): Made<Secret> {
  const metadata = metadataOf(wanted, { name: names.redisAuth(wanted.name), component: "redis" });
  const { token, step, stepAtMs, rotatedAtMs } = credentials;
  const texts = Object.entries(secretTexts(credentials, wanted.redis));
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      ...metadata,
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

/** The Service of Redis: without an address of its own, so that each pod has a name. */
export function redisService(wanted: Wanted): Made<Service> {
  const { exporter } = wanted.redis;
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadataOf(wanted, { name: names.redis(wanted.name), component: "redis" }),
    spec: {
      clusterIP: "None",
      selector: selectorOf(wanted, "redis"),
      ports: [
        { name: "redis", protocol: "TCP", port: ports.redis, targetPort: "redis" },
        ...(exporter === undefined
          ? []
          : [{ name: "metrics", protocol: "TCP", port: exporter.port, targetPort: "metrics" } as const]),
      ],
    },
  };
}
