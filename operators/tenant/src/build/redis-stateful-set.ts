import type { DeepReadonly } from "homeostat";
import { restrictedPodContext } from "@homeostat/core";
import type { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type {
  Affinity,
  Container,
  ExecAction,
  PersistentVolumeClaim,
  PodTemplateSpec,
  Volume,
} from "@homeostat/kubernetes/core/v1";
import { annotations, ports } from "../api/identity.ts";
import { names } from "../api/names.ts";
import type { Decisions } from "./desired-children.ts";
import {
  type ChildObject,
  fromRedisSecret,
  labelsOf,
  metadataOf,
  podBasics,
  restricted,
  scrapeAnnotations,
  selectorOf,
  workloadLabels,
} from "./objects.ts";
import { authFolder, redisConf } from "./redis-config.ts";
import { aclChecksum, checksum, secretKeys } from "./redis-secret.ts";
import type { ResolvedRedis, ResolvedTenant } from "./resolve.ts";

const configFile = "/etc/redis/redis.conf";
const dataVolume = "redis-data";

/** Builds the StatefulSet; undefined while the password is unknown, because no pod could start. */
export function redisStatefulSet(resolved: ResolvedTenant, decisions: Decisions): ChildObject<StatefulSet> | undefined {
  const { redis } = resolved;
  const { auth, claimSize = redis.storage, replicas } = decisions;
  if (auth.state === "waiting") return undefined;
  const metadata = metadataOf(resolved, { name: names.redis(resolved.name), component: "redis" });
  // In step `clients` replicas learn the new password. The master accepts both passwords and is not restarted.
  const onlyReplicas = auth.state === "known" && auth.credentials.step === "clients" && redis.mode === "replication";
  return {
    metadata: { ...metadata, labels: workloadLabels(resolved, "redis") },
    spec: {
      serviceName: names.redis(resolved.name),
      replicas: replicas.redis,
      podManagementPolicy: "OrderedReady",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: onlyReplicas ? 1 : 0 } },
      revisionHistoryLimit: 5,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
      selector: { matchLabels: selectorOf(resolved, "redis") },
      template: podTemplate(resolved, decisions),
      ...(redis.isPersistent && { volumeClaimTemplates: [claim(resolved, claimSize)] }),
    },
  };
}

function podTemplate(resolved: ResolvedTenant, { auth }: Decisions): DeepReadonly<PodTemplateSpec> {
  const { redis } = resolved;
  const basics = podBasics(redis, names.redis(resolved.name));
  const affinity = basics.affinity ?? (redis.mode === "replication" ? spreadOverNodes(resolved) : undefined);
  return {
    metadata: {
      labels: workloadLabels(resolved, "redis"),
      annotations: {
        [annotations.configChecksum]: checksum(redisConf(redis)),
        ...(auth.state === "known" && { [annotations.aclChecksum]: aclChecksum(auth.credentials, redis) }),
        ...scrapeAnnotations(redis.exporter?.scrape),
      },
    },
    spec: {
      ...basics,
      ...(affinity !== undefined && { affinity }),
      // User and group ids of the official alpine image.
      securityContext: {
        ...restrictedPodContext,
        runAsUser: 999,
        runAsGroup: 1000,
        fsGroup: 1000,
        fsGroupChangePolicy: "OnRootMismatch",
      },
      containers: [
        redisContainer(resolved),
        ...(redis.exporter === undefined ? [] : [exporterContainer(resolved, redis.exporter)]),
      ],
      volumes: volumes(resolved),
    },
  };
}

// redis-cli exits with 0 even if Redis is loading data or rejects the client, so the probe checks the output.
const pingSucceeds: DeepReadonly<ExecAction> = {
  command: ["sh", "-c", 'test "$(redis-cli -h 127.0.0.1 ping)" = PONG'],
};

export function redisContainer(resolved: ResolvedTenant): DeepReadonly<Container> {
  const { redis } = resolved;
  const hasPassword = redis.security !== undefined;
  const times = { timeoutSeconds: 5, failureThreshold: 3 };
  return {
    name: "redis",
    image: redis.image,
    imagePullPolicy: redis.imagePullPolicy,
    command: redis.mode === "replication" ? replicationCommand(resolved) : ["redis-server", configFile],
    ports: [{ name: "redis", containerPort: ports.redis, protocol: "TCP" }],
    // Probes log in with the clients' password, not with the newest one. A container that restarts during a rotation reads its
    // variables again, but the kubelet may update the mounted ACL file up to a minute later. Redis accepts the clients' password
    // in every step. With the newest password, a Redis with the old ACL file would not become ready, and would block the
    // rollout that brings the new file.
    ...(hasPassword && { env: [fromRedisSecret(resolved, "REDISCLI_AUTH", "clientPassword")] }),
    resources: redis.resources,
    securityContext: restricted,
    livenessProbe: { tcpSocket: { port: "redis" }, initialDelaySeconds: 15, periodSeconds: 20, ...times },
    readinessProbe: { exec: pingSucceeds, initialDelaySeconds: 5, periodSeconds: 10, ...times },
    startupProbe: { exec: pingSucceeds, periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 60 },
    volumeMounts: [
      { name: dataVolume, mountPath: "/data" },
      { name: "redis-config", mountPath: "/etc/redis", readOnly: true },
      // Mounted as a directory: the kubelet does not update files that are mounted with subPath.
      ...(hasPassword ? [{ name: "redis-auth", mountPath: authFolder, readOnly: true }] : []),
      { name: "tmp", mountPath: "/tmp" },
    ],
  };
}

/** Returns the command for replication: the pod with ordinal 0 is the master, all others replicate it. */
function replicationCommand({ name, namespace }: ResolvedTenant): string[] {
  const service = names.redis(name);
  const script = [
    "host=$(hostname)",
    `if [ "\${host##*-}" = 0 ]; then exec redis-server ${configFile}; fi`,
    `exec redis-server ${configFile} --replicaof ${service}-0.${service}.${namespace}.svc ${ports.redis}`,
  ];
  return ["sh", "-c", script.join("\n")];
}

function exporterContainer(
  resolved: ResolvedTenant,
  exporter: NonNullable<ResolvedRedis["exporter"]>,
): DeepReadonly<Container> {
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
      ...(resolved.redis.security === undefined ? [] : [fromRedisSecret(resolved, "REDIS_PASSWORD", "clientPassword")]),
    ],
    resources: exporter.resources,
    securityContext: restricted,
  };
}

function volumes({ name, redis }: ResolvedTenant): DeepReadonly<Volume>[] {
  const items = [secretKeys.acl, secretKeys.replica].map((key) => ({ key, path: key }));
  return [
    ...(redis.isPersistent ? [] : [{ name: dataVolume, emptyDir: { sizeLimit: redis.storage } }]),
    {
      name: "redis-config",
      configMap: { name: names.redisConfig(name), items: [{ key: "redis.conf", path: "redis.conf" }] },
    },
    ...(redis.security === undefined
      ? []
      : [{ name: "redis-auth", secret: { secretName: names.redisAuth(name), items, defaultMode: 0o440 } }]),
    { name: "tmp", emptyDir: {} },
  ];
}

function claim(resolved: ResolvedTenant, size: string): DeepReadonly<PersistentVolumeClaim> {
  const { storageClassName } = resolved.redis;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: dataVolume, labels: labelsOf(resolved, "redis") },
    spec: {
      accessModes: ["ReadWriteOnce"],
      ...(storageClassName !== undefined && { storageClassName }),
      resources: { requests: { storage: size } },
    },
  };
}

function spreadOverNodes(resolved: ResolvedTenant): DeepReadonly<Affinity> {
  const podAffinityTerm = {
    labelSelector: { matchLabels: selectorOf(resolved, "redis") },
    topologyKey: "kubernetes.io/hostname",
  };
  return { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm }] } };
}
