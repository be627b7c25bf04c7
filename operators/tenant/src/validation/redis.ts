// What is wrong with the Redis that a tenant asks for.

import { type DeepReadonly, dnsLabelProblems, dnsSubdomainProblems } from "@homeostat/core";
import { ports } from "../api/identity.ts";
import type { RedisSpec } from "../api/tenant.ts";
import type { TenantSettings } from "../settings/settings.ts";
import { redisAmountProblems, resourceProblems } from "./amounts.ts";
import { invalid, type Problem } from "./problem.ts";
import { redisConfigProblems } from "./redis-config.ts";
import { referenceProblems } from "./server.ts";
import { imageProblems, labelProblems, objectNameProblems } from "./texts.ts";

/** What keeps a Redis from being made. */
export function* redisProblems(
  redis: DeepReadonly<RedisSpec>,
  settings: Pick<TenantSettings, "operatorNamespace">,
): Iterable<Problem> {
  const { replicas, mode, storageClassName } = redis;
  if (mode === "standalone" && replicas !== 1) {
    yield invalid("spec.redis.mode", mode, `standalone has one replica, and ${replicas} are asked for`);
  }
  yield* imageProblems("spec.redis.image", redis.image);
  yield* objectNameProblems("spec.redis.imagePullSecrets", redis.imagePullSecrets);
  yield* redisAmountProblems(redis);
  if (storageClassName !== undefined && dnsSubdomainProblems(storageClassName).length > 0) {
    yield invalid("spec.redis.storageClassName", storageClassName, "must be the name of a storage class");
  }
  yield* savePointProblems(redis.persistence?.savePoints);
  yield* redisConfigProblems(redis.config, redis.resources?.memory);
  yield* authSecretProblems(redis.security, settings);
  yield* exporterProblems(redis.exporter);
  yield* labelProblems("spec.redis.nodeSelector", redis.nodeSelector);
}

function* savePointProblems(points: readonly string[] = []): Iterable<Problem> {
  for (const [index, point] of points.entries()) {
    if (/^[1-9]\d{0,8} [1-9]\d{0,8}$/.test(point)) continue;
    yield invalid(
      `spec.redis.persistence.savePoints[${index}]`,
      point,
      'must be "<seconds> <changes>", such as "900 1"',
    );
  }
}

function* authSecretProblems(
  security: DeepReadonly<RedisSpec["security"]>,
  { operatorNamespace }: Pick<TenantSettings, "operatorNamespace">,
): Iterable<Problem> {
  const secret = security?.authSecret;
  if (secret === undefined) return;
  const path = "spec.redis.security.authSecret";
  yield* referenceProblems(path, secret);
  const { namespace = "" } = secret;
  const isAllowed = namespace === "" || (namespace === operatorNamespace && dnsLabelProblems(namespace).length === 0);
  if (!isAllowed) yield invalid(`${path}.namespace`, namespace, "must be empty or the operator namespace");
}

function* exporterProblems(exporter: DeepReadonly<RedisSpec["exporter"]>): Iterable<Problem> {
  if (exporter === undefined) return;
  yield* imageProblems("spec.redis.exporter.image", exporter.image);
  yield* resourceProblems("spec.redis.exporter.resources", exporter.resources);
  if (exporter.port === ports.redis) {
    yield invalid("spec.redis.exporter.port", exporter.port, "is the port of Redis itself");
  }
}
