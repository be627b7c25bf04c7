import type { DeepReadonly } from "@homeostat/core";
import type { Container, EnvVar, ExecAction } from "@homeostat/kubernetes/core/v1";
import { ports } from "../api/identity.ts";
import { names } from "../api/names.ts";
import type { Wanted, WantedExporter } from "./resolved-tenant.ts";
import { fromRedisSecret, lockedDown } from "./pods.ts";
import { authFolder } from "./redis-conf.ts";

const configFile = "/etc/redis/redis.conf";

/** The name of the volume with the data. */
export const dataVolume = "redis-data";

// Also while it loads, or turns the client away, redis-cli exits with 0: only the answer tells.
const answersPing: DeepReadonly<ExecAction> = {
  command: ["sh", "-c", 'test "$(redis-cli -h 127.0.0.1 ping)" = PONG'],
};

/** The container of Redis. */
export function redisContainer(wanted: Wanted): DeepReadonly<Container> {
  const { redis } = wanted;
  const hasPassword = redis.security !== undefined;
  return {
    name: "redis",
    image: redis.image,
    imagePullPolicy: redis.imagePullPolicy,
    command: redis.mode === "replication" ? followingCommand(wanted) : ["redis-server", configFile],
    ports: [{ name: "redis", containerPort: ports.redis, protocol: "TCP" }],
    ...(hasPassword && { env: passwordOfProbes(wanted) }),
    resources: redis.resources,
    securityContext: lockedDown,
    livenessProbe: {
      tcpSocket: { port: "redis" },
      initialDelaySeconds: 15,
      periodSeconds: 20,
      timeoutSeconds: 5,
      failureThreshold: 3,
    },
    readinessProbe: {
      exec: answersPing,
      initialDelaySeconds: 5,
      periodSeconds: 10,
      timeoutSeconds: 5,
      failureThreshold: 3,
    },
    startupProbe: { exec: answersPing, periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 60 },
    volumeMounts: [
      { name: dataVolume, mountPath: "/data" },
      { name: "redis-config", mountPath: "/etc/redis", readOnly: true },
      // The whole folder: a single file of it would stay as it was when the pod started.
      ...(hasPassword ? [{ name: "redis-auth", mountPath: authFolder, readOnly: true }] : []),
      { name: "tmp", mountPath: "/tmp" },
    ],
  };
}

/**
 * What the probes introduce themselves with: the password of clients, not the newest one.
 *
 * A container that is restarted while the password changes reads its variables anew, but may find the users as they were
 * a minute ago. A Redis of any step accepts the password that clients use now; the newest it may not know yet, and then it would
 * not become ready, and would hold up the roll that teaches it.
 */
function passwordOfProbes(wanted: Wanted): DeepReadonly<EnvVar>[] {
  return [fromRedisSecret(wanted, "REDISCLI_AUTH", "clientPassword")];
}

/** The first pod is the master, and the others follow it. */
function followingCommand({ name, namespace }: Wanted): string[] {
  const service = names.redis(name);
  const script = [
    "host=$(hostname)",
    `if [ "\${host##*-}" = 0 ]; then exec redis-server ${configFile}; fi`,
    `exec redis-server ${configFile} --replicaof ${service}-0.${service}.${namespace}.svc ${ports.redis}`,
  ];
  return ["sh", "-c", script.join("\n")];
}

/** The container that tells Prometheus about Redis. */
export function exporterContainer(wanted: Wanted, exporter: WantedExporter): DeepReadonly<Container> {
  return {
    name: "exporter",
    image: exporter.image,
    imagePullPolicy: "IfNotPresent",
    ports: [{ name: "metrics", containerPort: exporter.port, protocol: "TCP" }],
    env: [
      { name: "REDIS_ADDR", value: `redis://localhost:${ports.redis}` },
      ...(exporter.port === ports.exporter
        ? []
        : [{ name: "REDIS_EXPORTER_WEB_LISTEN_ADDRESS", value: `:${exporter.port}` }]),
      ...(wanted.redis.security === undefined ? [] : [fromRedisSecret(wanted, "REDIS_PASSWORD", "clientPassword")]),
    ],
    resources: exporter.resources,
    securityContext: lockedDown,
  };
}
