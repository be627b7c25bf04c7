// The clusters of the golden files, with the decisions for each.

import type { Component } from "../api/identity.ts";
import type { ResolveSettings } from "../settings/settings.ts";
import { clusterWith, type SpecInput } from "./clusters.ts";
import { defaultSettings } from "./default-settings.ts";
import type { Decisions } from "../build/desired-objects.ts";
import { byComponent, type ResolvedCluster, resolveCluster } from "../build/resolve.ts";
import type { SearchSlot } from "../build/search-slots.ts";
import { secretHash, secretsOf } from "../build/secrets.ts";

/** A resolved cluster with this spec. */
export function resolvedFor(
  spec: SpecInput = {},
  settings: Partial<ResolveSettings> = {},
  name = "demo",
): ResolvedCluster {
  return resolveCluster(clusterWith(spec, name), { ...defaultSettings, ...settings });
}

/** Secrets whose keys all have the same value. */
const anySecret = new Proxy<Record<string, string>>({}, { get: () => "c2VjcmV0" });

/** A ready search pod in a slot. */
export function slotFor(slot: number, address = `10.0.0.${slot + 10}`): SearchSlot {
  return { slot, pod: `demo-search-6f7-${slot}`, uid: `uid-${slot}`, address, node: `node-${slot}`, zone: "a" };
}

/** The decisions for a cluster that has the counts of its spec. */
export function decisionsFor(resolved: ResolvedCluster, changes: Partial<Decisions> = {}): Decisions {
  const replicas: Readonly<Record<Component, number>> = changes.replicas ?? resolved.counts;
  const hashes = byComponent((component) => secretHash(secretsOf(resolved, component), () => anySecret));
  return {
    replicas,
    members: { controller: replicas.controller, ingest: replicas.ingest },
    isBootstrapped: true,
    membership: {
      epoch: 1,
      voters: Array.from({ length: replicas.controller }, (_, ordinal) => ordinal),
      target: replicas.controller,
    },
    externalAddresses: {},
    secretHashes: {
      ...(hashes.controller !== undefined && { controller: hashes.controller }),
      ...(hashes.ingest !== undefined && { ingest: hashes.ingest }),
      ...(hashes.search !== undefined && { search: hashes.search }),
    },
    claimSizes: {},
    externalOrdinals: Array.from({ length: replicas.ingest }, (_, ordinal) => ordinal),
    search: {
      deployments: [{ color: undefined, replicas: replicas.search }],
      selected: { color: undefined },
      slots: Array.from({ length: replicas.search }, (_, slot) => slotFor(slot)),
    },
    ...changes,
  };
}

/** A resolved cluster, the decisions, and the spec that the cluster was resolved from. */
export type GoldenCase = readonly [ResolvedCluster, Decisions, SpecInput];

function one(spec: SpecInput = {}, changes: Partial<Decisions> = {}): GoldenCase {
  const resolved = resolvedFor(spec);
  return [resolved, decisionsFor(resolved, changes), spec];
}

/** One controller and one ingest node, so that a golden file shows mainly what its case is about. */
const small = { controllers: 1, ingestNodes: 1 } as const;
const some = { cpu: "1", memory: "1Gi" } as const;

const production: SpecInput = {
  version: "v1.4.2",
  controllers: 5,
  ingestNodes: 6,
  searchNodes: 4,
  storage: {
    backend: "s3",
    size: "100Gi",
    storageClass: "fast-ssd",
    s3: { bucket: "chronik-prod", region: "us-west-2", credentialsSecret: "chronik-s3" },
  },
  metastore: {
    database: "postgres",
    connection: { host: "pg.databases.svc", port: 5432, database: "chronik_prod", credentialsSecret: "pg-chronik" },
  },
  resources: {
    controller: { cpu: "2", memory: "4Gi", memoryLimit: "8Gi" },
    ingest: { cpu: "4", memory: "8Gi", memoryLimit: "16Gi" },
    search: { cpu: "2", memory: "4Gi", memoryLimit: "8Gi" },
  },
  security: { tlsEnabled: true, tlsSecret: "chronik-tls", mtlsEnabled: true },
  monitoring: { prometheus: true, tracing: true, otlpEndpoint: "http://otel-collector.observability:4317" },
  network: { serviceType: "LoadBalancer", loadBalancerSourceRanges: ["10.0.0.0/8"], externalAccess: true },
  autoscaling: { searchNodes: { minReplicas: 2, maxReplicas: 12, targetCpuUtilizationPercentage: 75 } },
  antiAffinity: "required",
};

const templates: SpecInput = {
  ...small,
  searchNodes: 1,
  podLabels: { team: "streams", tier: "all" },
  podAnnotations: { note: "all", "prometheus.io/port": "9999" },
  monitoring: { prometheus: true },
  nodeSelector: { pool: "streams", disk: "any" },
  tolerations: [{ key: "dedicated", operator: "Equal", value: "streams", effect: "NoSchedule" }],
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  topologySpreadConstraints: [{ maxSkew: 2, topologyKey: "rack", whenUnsatisfiable: "DoNotSchedule" }],
  priorityClassName: "high",
  image: {
    controller: "registry.example:5000/controller:1",
    ingest: `ingest@sha256:${"a".repeat(64)}`,
    pullPolicy: "IfNotPresent",
    pullSecrets: ["registry"],
  },
  env: [
    { name: "PLAIN", value: "a $(POD_NAME)" },
    { name: "SECRET", valueFromSecret: { name: "mine", key: "key" } },
  ],
  config: {
    common: { "max.size": "1" },
    controller: { "snapshot.every": "100" },
    ingest: { text: 'a "quoted"\nvalue' },
    search: { z: "last", a: "first" },
  },
  template: {
    ingest: { terminationGracePeriodSeconds: 2 },
    controller: {
      labels: { tier: "voters" },
      annotations: { note: "voters" },
      nodeSelector: { disk: "nvme" },
      tolerations: [],
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [] } },
      topologySpreadConstraints: [],
      priorityClassName: "highest",
      env: [{ name: "OWN", value: "" }],
      command: ["/bin/controller"],
      args: ["--verbose"],
      terminationGracePeriodSeconds: 90,
      probes: {
        tcp: true,
        startup: { failureThreshold: 600 },
        readiness: { periodSeconds: 1, initialDelaySeconds: 0 },
      },
    },
  },
  security: {
    podSecurityContext: { runAsUser: 2000, supplementalGroups: [3000] },
    containerSecurityContext: { readOnlyRootFilesystem: false, capabilities: { drop: ["ALL", "NET_RAW"] } },
    automountServiceAccountToken: true,
    adminApiKeySecret: { name: "admin", key: "api-key" },
  },
  updateStrategy: { minReadySeconds: 600, progressDeadlineSeconds: 60 },
  podDisruptionBudget: { minAvailable: "50%" },
};

const metric = { name: "messages_per_second", targetType: "AverageValue", targetValue: "1k" } as const;

/** The clusters of the golden files. */
export const cases: Readonly<Record<string, GoldenCase>> = {
  minimal: one(small, { isBootstrapped: false }),
  production: one(production, { externalAddresses: { 0: "203.0.113.7:9092", 2: "lb.example:9092" } }),
  "storage-local": one({ ...small, storage: { size: "1Gi", storageClass: "", accessModes: ["ReadWriteOncePod"] } }),
  "storage-s3": one({
    ...small,
    searchNodes: 1,
    storage: {
      backend: "s3",
      s3: { bucket: "bucket", region: "eu", endpoint: "http://minio:9000", prefix: "a/", pathStyle: true },
    },
  }),
  "storage-gcs": one({
    ...small,
    searchNodes: 1,
    storage: { backend: "gcs", gcs: { bucket: "bucket", prefix: "a/", credentialsSecret: "gcs" } },
  }),
  "storage-azure": one({
    ...small,
    storage: {
      backend: "azure",
      azure: { container: "data", account: "chronik", prefix: "a/", credentialsSecret: "azure" },
    },
  }),
  "storage-growing": one({ ...small, storage: { size: "2Gi" } }, { claimSizes: { controller: "1Gi", ingest: "1Gi" } }),
  "metastore-postgres": one({ ...small, metastore: {} }),
  "metastore-tikv": one({ ...small, metastore: { database: "tikv", pdEndpoints: ["pd-0:2379", "pd-1:2379"] } }),
  "search-2": one(
    { ...small, searchNodes: 2, storage: { storageClass: "fast", search: { medium: "ephemeral", size: "5Gi" } } },
    {
      search: {
        deployments: [{ color: undefined, replicas: 2 }],
        selected: { color: undefined },
        slots: [slotFor(1), slotFor(0), slotFor(2, "fd00::12")],
      },
    },
  ),
  "search-blue-green": one(
    { ...small, searchNodes: 2, updateStrategy: { search: "BlueGreen" } },
    {
      search: {
        deployments: [{ color: "green", replicas: 2 }],
        selected: { color: "blue", switchedAt: "2026-01-02T03:04:05Z" },
        slots: [],
      },
    },
  ),
  tls: one({ ...small, security: { tlsEnabled: true, tlsSecret: "tls" } }),
  autoscaling: one({
    ...small,
    controllers: 3,
    searchNodes: 1,
    resources: { controller: some, ingest: some, search: { ...some, cpuLimit: "2" } },
    autoscaling: {
      controllers: { minReplicas: 3, maxReplicas: 5, targetMemoryUtilizationPercentage: 80 },
      ingestNodes: {
        minReplicas: 2,
        maxReplicas: 9,
        customMetrics: [metric, { ...metric, name: "lag", targetType: "Value" }],
      },
      searchNodes: {
        minReplicas: 1,
        maxReplicas: 4,
        targetCpuUtilizationPercentage: 50,
        behavior: { scaleDown: { stabilizationWindowSeconds: 1 } },
      },
    },
  }),
  "host-network": one({ ...small, network: { hostNetwork: true }, antiAffinity: "required" }),
  "external-access": one(
    {
      ...small,
      network: { serviceType: "NodePort", externalAccess: true, serviceAnnotations: { "example.com/dns": "kafka" } },
    },
    { externalOrdinals: [0, 1], externalAddresses: { 0: "192.0.2.1:30092" } },
  ),
  "network-policy": one({ ...small, searchNodes: 1, network: { networkPolicy: true } }),
  templates: one(templates),
  "strict-zones": one({ ...small, controllers: 3, antiAffinity: "required" }, { zones: 3 }),
  features: one({
    ...small,
    searchNodes: 1,
    tuning: {
      columnarEnabled: true,
      schemaRegistry: { enabled: true, authEnabled: true, credentialsSecret: "registry" },
      vectorSearch: { enabled: true, apiKeySecret: { name: "openai", key: "key" } },
    },
    podDisruptionBudget: { enabled: false },
    membership: "Static",
    antiAffinity: "none",
    topologySpreadConstraints: [],
  }),
  scaling: one(
    { controllers: 5, ingestNodes: 2 },
    {
      replicas: { controller: 3, ingest: 3, search: 0 },
      members: { controller: 4, ingest: 3 },
      membership: { epoch: 7, voters: [0, 1, 2], target: 5 },
    },
  ),
};
