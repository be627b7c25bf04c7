import type { DeepReadonly } from "@homeostat/core";
import type { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { Affinity, PersistentVolumeClaim, PodTemplateSpec, Volume } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import { names } from "../api/names.ts";
import { checksum } from "./digest.ts";
import { aclChecksum, secretKeys } from "./redis-secret.ts";
import type { Wanted } from "./resolved-tenant.ts";
import { labelsOf, type Made, metadataOf, selectorOf, workloadLabels } from "./objects.ts";
import { podBasics, scrapeAnnotations } from "./pods.ts";
import { redisConf } from "./redis-conf.ts";
import { dataVolume, exporterContainer, redisContainer } from "./redis-containers.ts";
import type { Situation } from "./situation.ts";

/** Redis. Undefined while its password is not known: without it no pod could start. */
export function redisStatefulSet(wanted: Wanted, situation: Situation): Made<StatefulSet> | undefined {
  const { redis } = wanted;
  const { auth, claimSize = redis.storage, replicas } = situation;
  if (auth.at === "waiting") return undefined;
  const metadata = metadataOf(wanted, { name: names.redis(wanted.name), component: "redis" });
  // While clients learn a new password the replicas do too, and the master, who accepts both, need not be disturbed.
  const isForReplicas = auth.at === "known" && auth.credentials.step === "clients" && redis.mode === "replication";
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { ...metadata, labels: workloadLabels(wanted, "redis") },
    spec: {
      serviceName: names.redis(wanted.name),
      replicas: replicas.redis,
      podManagementPolicy: "OrderedReady",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: isForReplicas ? 1 : 0 } },
      revisionHistoryLimit: 5,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
      selector: { matchLabels: selectorOf(wanted, "redis") },
      template: podTemplate(wanted, situation),
      ...(redis.isPersistent && { volumeClaimTemplates: [claim(wanted, claimSize)] }),
    },
  };
}

function podTemplate(wanted: Wanted, { auth }: Situation): DeepReadonly<PodTemplateSpec> {
  const { redis } = wanted;
  const basics = podBasics(redis, names.redis(wanted.name));
  const affinity = basics.affinity ?? (redis.mode === "replication" ? apart(wanted) : undefined);
  return {
    metadata: {
      labels: workloadLabels(wanted, "redis"),
      annotations: {
        [annotations.configChecksum]: checksum(redisConf(redis)),
        ...(auth.at === "known" && { [annotations.aclChecksum]: aclChecksum(auth.credentials, redis) }),
        ...scrapeAnnotations(redis.exporter?.scrape),
      },
    },
    spec: {
      ...basics,
      ...(affinity !== undefined && { affinity }),
      // The user and group of Redis in its official image.
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 999,
        runAsGroup: 1000,
        fsGroup: 1000,
        fsGroupChangePolicy: "OnRootMismatch",
        seccompProfile: { type: "RuntimeDefault" },
      },
      containers: [
        redisContainer(wanted),
        ...(redis.exporter === undefined ? [] : [exporterContainer(wanted, redis.exporter)]),
      ],
      volumes: volumes(wanted),
    },
  };
}

function volumes({ name, redis }: Wanted): DeepReadonly<Volume>[] {
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

function claim(wanted: Wanted, size: string): DeepReadonly<PersistentVolumeClaim> {
  const { storageClassName } = wanted.redis;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: dataVolume, labels: labelsOf(wanted, "redis") },
    spec: {
      accessModes: ["ReadWriteOnce"],
      ...(storageClassName !== undefined && { storageClassName }),
      resources: { requests: { storage: size } },
    },
  };
}

/** Rather on different machines, so that the loss of one does not take all. */
function apart(wanted: Wanted): DeepReadonly<Affinity> {
  const podAffinityTerm = {
    labelSelector: { matchLabels: selectorOf(wanted, "redis") },
    topologyKey: "kubernetes.io/hostname",
  };
  return { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm }] } };
}
