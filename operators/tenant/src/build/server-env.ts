import type { DeepReadonly } from "@homeostat/core";
import type { EnvVar } from "@homeostat/kubernetes/core/v1";
import { ports } from "../api/identity.ts";
import { redisUrl } from "./redis-secret.ts";
import type { Wanted } from "./resolved-tenant.ts";
import { fromRedisSecret } from "./pods.ts";

type Variable = DeepReadonly<EnvVar>;

/** The variables of the server: ours, in which the user's take the place of those of the same name, then the user's others. */
export function serverEnv(wanted: Wanted): Variable[] {
  const users = new Map(wanted.server.env.map((variable) => [variable.name, variable]));
  const own = ownVariables(wanted);
  const ownNames = new Set(own.map(({ name }) => name));
  return [
    ...own.map((variable) => users.get(variable.name) ?? variable),
    ...[...users.values()].filter(({ name }) => !ownNames.has(name)),
  ];
}

function ownVariables(wanted: Wanted): Variable[] {
  const { name, redis, server } = wanted;
  return [
    { name: "NODE_ENV", value: "production" },
    { name: "PORT", value: String(ports.server) },
    { name: "TENANT_ID", value: name },
    { name: "LOG_LEVEL", value: server.logLevel },
    // Without it the server keeps everything in memory.
    { name: "STORAGE_TYPE", value: "redis" },
    { name: "REDIS_HOST", value: redis.host },
    { name: "REDIS_PORT", value: String(ports.redis) },
    { name: "REDIS_DB", value: "0" },
    ...(redis.security === undefined
      ? [{ name: "REDIS_URL", value: redisUrl(redis.host) }]
      : [fromRedisSecret(wanted, "REDIS_PASSWORD", "clientPassword"), fromRedisSecret(wanted, "REDIS_URL", "url")]),
    ...(server.authUrl === undefined ? [] : [{ name: "AUTH_URL", value: server.authUrl }]),
  ];
}
