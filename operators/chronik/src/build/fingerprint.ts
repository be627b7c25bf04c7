// A digest of the pod templates that this operator builds. It distinguishes operators even if they have the same version, or if a user has only
// changed a default image. Both make pods outdated without a change of their cluster.

import { ChronikCluster, type ChronikClusterInput } from "../api/chronik-cluster.ts";
import { digestOf } from "./hashes.ts";
import { componentsOf, resolveCluster } from "./resolve.ts";
import type { ResolveSettings } from "../settings/settings.ts";
import { templateHash } from "./workloads.ts";

const some = { cpu: "1", memory: "1Gi", cpuLimit: "2", memoryLimit: "2Gi" } as const;

/** Clusters that use the fields which pod templates and configuration files depend on. A change that affects none of them is not detected. */
const references: readonly ChronikClusterInput["spec"][] = [
  { searchNodes: 1, storage: {}, metastore: { database: "embedded" } },
  {
    searchNodes: 1,
    version: "1",
    storage: { backend: "s3", s3: { bucket: "data", region: "eu", credentialsSecret: "s3" } },
    metastore: { database: "postgres", connection: { host: "pg", credentialsSecret: "pg" } },
    resources: { controller: some, ingest: some, search: some },
    security: {
      tlsEnabled: true,
      tlsSecret: "tls",
      mtlsEnabled: true,
      adminApiKeySecret: { name: "admin", key: "key" },
    },
    monitoring: { prometheus: true, tracing: true, otlpEndpoint: "http://collector:4317" },
    network: { hostNetwork: true, externalAccess: true, serviceType: "LoadBalancer" },
    antiAffinity: "required",
    membership: "Static",
    config: { common: { a: "b" }, controller: { a: "b" }, ingest: { a: "b" }, search: { a: "b" } },
    env: [{ name: "A", value: "b" }],
    tuning: { schemaRegistry: { enabled: true }, vectorSearch: { enabled: true }, columnarEnabled: true },
  },
  {
    searchNodes: 1,
    storage: {
      backend: "gcs",
      gcs: { bucket: "data", credentialsSecret: "gcs" },
      search: { medium: "ephemeral" },
    },
    metastore: { database: "tikv", pdEndpoints: ["pd:2379"] },
    antiAffinity: "none",
  },
  {
    searchNodes: 1,
    storage: { backend: "azure", azure: { container: "data", account: "a", credentialsSecret: "azure" } },
    metastore: { database: "embedded" },
    template: { ingest: { probes: { tcp: true } } },
  },
];

/** Returns the digest of the pod templates that the operator builds with these settings. */
export function templateFingerprint(settings: ResolveSettings): string {
  const hashes = references.flatMap((spec) => {
    const cluster = ChronikCluster.make({ metadata: { name: "reference", namespace: "reference" }, spec });
    const resolved = resolveCluster(ChronikCluster.default(cluster), settings);
    const input = { members: { controller: 3, ingest: 3 }, secretHashes: {}, zones: 3 };
    return componentsOf(resolved).map((component) => templateHash(resolved, component, input));
  });
  return digestOf(hashes).slice(0, 8);
}
