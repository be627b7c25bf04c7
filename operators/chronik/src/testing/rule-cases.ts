// Specs that break each rule, and similar specs that do not.

import { clusterWith, type SpecInput } from "./clusters.ts";
import { annotations } from "../api/annotations.ts";
import type { ChronikCluster } from "../api/chronik-cluster.ts";

export interface RuleCase {
  readonly rule: string;
  /** The field of the problem. */
  readonly path: string;
  readonly bad: ChronikCluster;
  readonly good: ChronikCluster;
}

function row(rule: string, path: string, bad: SpecInput, good: SpecInput): RuleCase {
  return { rule, path, bad: clusterWith(bad), good: clusterWith(good) };
}

function annotated(annotation: string, value: string): ChronikCluster {
  const cluster = clusterWith();
  return { ...cluster, metadata: { ...cluster.metadata, annotations: { [annotation]: value } } };
}

const metric = { name: "lag", targetType: "AverageValue", targetValue: "10" } as const;
const scaler = { minReplicas: 1, maxReplicas: 3, customMetrics: [metric] };
const some = { cpu: "1", memory: "1Gi" };
const window = { days: ["Mon" as const], start: "02:00", durationMinutes: 60 };

export const ruleCases: readonly RuleCase[] = [
  {
    rule: "NameInvalid",
    path: "metadata.name",
    bad: clusterWith({}, "a".repeat(41)),
    good: clusterWith({}, "a".repeat(40)),
  },
  { rule: "NameInvalid", path: "metadata.name", bad: clusterWith({}, "9a"), good: clusterWith({}, "a9") },
  { rule: "NameInvalid", path: "metadata.name", bad: clusterWith({}, "a.b"), good: clusterWith({}, "a-b") },
  { rule: "NameInvalid", path: "metadata.name", bad: clusterWith({}, "a-"), good: clusterWith({}, "a") },
  {
    rule: "NameReserved",
    path: "metadata.name",
    bad: clusterWith({}, "a-controller"),
    good: clusterWith({}, "controller"),
  },
  {
    rule: "NameReserved",
    path: "metadata.name",
    bad: clusterWith({}, "a-ingest"),
    good: clusterWith({}, "a-ingest-b"),
  },
  {
    rule: "NameReserved",
    path: "metadata.name",
    bad: clusterWith({}, "a-search"),
    good: clusterWith({}, "a-research"),
  },
  {
    rule: "ApplyForceUnknown",
    path: "metadata.annotations[chronik.stream/apply-force]",
    bad: annotated(annotations.applyForce, "sometimes"),
    good: annotated(annotations.applyForce, "never"),
  },
  {
    rule: "ApplyForceUnknown",
    path: "metadata.annotations[chronik.stream/apply-force]",
    bad: annotated(annotations.applyForce, ""),
    good: annotated(annotations.applyForce, "always"),
  },
  row("ControllersOutOfRange", "spec.controllers", { controllers: 0 }, { controllers: 1 }),
  row("ControllersOutOfRange", "spec.controllers", { controllers: 10 }, { controllers: 9 }),
  row("ControllersOutOfRange", "spec.controllers", { controllers: -1 }, { controllers: 2 }),
  row("IngestNodesOutOfRange", "spec.ingestNodes", { ingestNodes: 0 }, { ingestNodes: 1 }),
  row("IngestNodesOutOfRange", "spec.ingestNodes", { ingestNodes: 501 }, { ingestNodes: 500 }),
  row("SearchNodesOutOfRange", "spec.searchNodes", { searchNodes: -1 }, { searchNodes: 0 }),
  row("SearchNodesOutOfRange", "spec.searchNodes", { searchNodes: 501 }, { searchNodes: 500 }),
  row(
    "BackendMismatch",
    "spec.storage.s3",
    { storage: { backend: "s3" } },
    { storage: { backend: "s3", s3: { bucket: "bucket", region: "r" } } },
  ),
  row("BackendMismatch", "spec.storage.gcs", { storage: { gcs: { bucket: "bucket" } } }, { storage: {} }),
  row(
    "BackendMismatch",
    "spec.storage.azure",
    { storage: { backend: "azure" } },
    { storage: { backend: "azure", azure: { container: "con", account: "acc" } } },
  ),
  row("QuantityInvalid", "spec.storage.size", { storage: { size: "ten" } }, { storage: { size: "10Ti" } }),
  row("QuantityInvalid", "spec.storage.size", { storage: { size: "0" } }, { storage: { size: "1" } }),
  row("QuantityInvalid", "spec.storage.size", { storage: { size: "-1Gi" } }, { storage: { size: "1e3" } }),
  row(
    "QuantityInvalid",
    "spec.storage.search.size",
    { storage: { search: { size: "" } } },
    { storage: { search: {} } },
  ),
  row(
    "QuantityInvalid",
    "spec.resources.controller.cpu",
    { resources: { controller: { cpu: "1 core", memory: "1Gi" } } },
    { resources: { controller: { cpu: "1500m", memory: "1Gi" } } },
  ),
  row(
    "QuantityInvalid",
    "spec.autoscaling.searchNodes.customMetrics[0].targetValue",
    { autoscaling: { searchNodes: { ...scaler, customMetrics: [{ ...metric, targetValue: "x" }] } } },
    { autoscaling: { searchNodes: scaler } },
  ),
  row(
    "MetastoreMismatch",
    "spec.metastore.connection",
    { metastore: { database: "embedded", connection: {} } },
    { metastore: { database: "postgres", connection: {} } },
  ),
  row(
    "MetastoreMismatch",
    "spec.metastore.pdEndpoints",
    { metastore: { database: "tikv" } },
    { metastore: { database: "tikv", pdEndpoints: ["pd:2379"] } },
  ),
  row(
    "MetastoreMismatch",
    "spec.metastore.pdEndpoints",
    { metastore: { database: "postgres", pdEndpoints: ["pd:2379"] } },
    { metastore: { database: "postgres" } },
  ),
  row(
    "AutoscalerBounds",
    "spec.autoscaling.ingestNodes.minReplicas",
    { autoscaling: { ingestNodes: { ...scaler, minReplicas: 4 } } },
    { autoscaling: { ingestNodes: { ...scaler, minReplicas: 3 } } },
  ),
  row(
    "AutoscalerTargetMissing",
    "spec.autoscaling.searchNodes",
    { autoscaling: { searchNodes: { minReplicas: 1, maxReplicas: 2, customMetrics: [] } } },
    { autoscaling: { searchNodes: scaler } },
  ),
  row(
    "AutoscalerTargetWithoutRequest",
    "spec.autoscaling.searchNodes.targetCpuUtilizationPercentage",
    { autoscaling: { searchNodes: { ...scaler, targetCpuUtilizationPercentage: 50 } } },
    { autoscaling: { searchNodes: { ...scaler, targetCpuUtilizationPercentage: 50 } }, resources: { search: some } },
  ),
  row(
    "AutoscalerTargetWithoutRequest",
    "spec.autoscaling.ingestNodes.targetMemoryUtilizationPercentage",
    {
      autoscaling: { ingestNodes: { ...scaler, targetMemoryUtilizationPercentage: 50 } },
      resources: { search: some },
    },
    { autoscaling: { ingestNodes: { ...scaler, targetMemoryUtilizationPercentage: 50 } }, resources: { ingest: some } },
  ),
  row(
    "AutoscalerBoundsEven",
    "spec.autoscaling.controllers.minReplicas",
    { autoscaling: { controllers: { ...scaler, minReplicas: 2 } } },
    { autoscaling: { controllers: { ...scaler, minReplicas: 1 } } },
  ),
  row(
    "AutoscalerBoundsEven",
    "spec.autoscaling.controllers.maxReplicas",
    { autoscaling: { controllers: { ...scaler, maxReplicas: 4 } } },
    { autoscaling: { controllers: { ...scaler, maxReplicas: 5 } } },
  ),
  row(
    "CustomMetricUtilization",
    "spec.autoscaling.searchNodes.customMetrics[0].targetType",
    { autoscaling: { searchNodes: { ...scaler, customMetrics: [{ ...metric, targetType: "Utilization" }] } } },
    { autoscaling: { searchNodes: { ...scaler, customMetrics: [{ ...metric, targetType: "Value" }] } } },
  ),
  row(
    "BudgetAmbiguous",
    "spec.podDisruptionBudget.minAvailable",
    { podDisruptionBudget: { minAvailable: 1, maxUnavailable: 1 } },
    { podDisruptionBudget: { maxUnavailable: "20%" } },
  ),
  row(
    "TlsIncomplete",
    "spec.security.tlsSecret",
    { security: { tlsEnabled: true } },
    { security: { tlsEnabled: true, tlsSecret: "tls" } },
  ),
  row(
    "TlsIncomplete",
    "spec.security.mtlsEnabled",
    { security: { mtlsEnabled: true } },
    { security: { mtlsEnabled: true, tlsEnabled: true, tlsSecret: "tls" } },
  ),
  row(
    "LimitBelowRequest",
    "spec.resources.ingest.cpuLimit",
    { resources: { ingest: { ...some, cpuLimit: "999m" } } },
    { resources: { ingest: { ...some, cpuLimit: "1000m" } } },
  ),
  row(
    "LimitBelowRequest",
    "spec.resources.search.memoryLimit",
    { resources: { search: { ...some, memoryLimit: "1G" } } },
    { resources: { search: { ...some, memoryLimit: "1024Mi" } } },
  ),
  row(
    "SourceRangesInvalid",
    "spec.network.loadBalancerSourceRanges",
    { network: { loadBalancerSourceRanges: ["10.0.0.0/8"] } },
    { network: { serviceType: "LoadBalancer", loadBalancerSourceRanges: ["10.0.0.0/8", "2001:db8::/32"] } },
  ),
  row(
    "SourceRangesInvalid",
    "spec.network.loadBalancerSourceRanges[0]",
    { network: { serviceType: "LoadBalancer", loadBalancerSourceRanges: ["10.0.0.1"] } },
    { network: { serviceType: "LoadBalancer", loadBalancerSourceRanges: [] } },
  ),
  row(
    "HostNetworkWithoutAntiAffinity",
    "spec.antiAffinity",
    { network: { hostNetwork: true }, antiAffinity: "none" },
    { network: { hostNetwork: true }, antiAffinity: "required" },
  ),
  row(
    "TracingWithoutEndpoint",
    "spec.monitoring.otlpEndpoint",
    { monitoring: { tracing: true } },
    { monitoring: { tracing: true, otlpEndpoint: "otel:4317" } },
  ),
  row(
    "TooManyInsyncReplicas",
    "spec.tuning.minInsyncReplicas",
    { tuning: { replicationFactor: 1, minInsyncReplicas: 2 } },
    { tuning: { replicationFactor: 2, minInsyncReplicas: 2 } },
  ),
  row(
    "RegistryWithoutCredentials",
    "spec.tuning.schemaRegistry.credentialsSecret",
    { tuning: { schemaRegistry: { enabled: true, authEnabled: true } } },
    { tuning: { schemaRegistry: { enabled: true, authEnabled: true, credentialsSecret: "registry" } } },
  ),
  row(
    "TooManyUnavailable",
    "spec.updateStrategy.maxUnavailable",
    { ingestNodes: 3, updateStrategy: { maxUnavailable: 3 } },
    { ingestNodes: 3, updateStrategy: { maxUnavailable: 2 } },
  ),
  row(
    "WindowInvalid",
    "spec.updateStrategy.windows[0].timeZone",
    { updateStrategy: { windows: [{ ...window, timeZone: "Mars/Olympus" }] } },
    { updateStrategy: { windows: [{ ...window, timeZone: "Europe/Berlin" }] } },
  ),
  row(
    "WindowInvalid",
    "spec.updateStrategy.windows[0].timeZone",
    { updateStrategy: { windows: [{ ...window, timeZone: "+02:00" }] } },
    { updateStrategy: { windows: [window] } },
  ),
  row(
    "ConfigKeyInvalid",
    'spec.config.common["Max Size"]',
    { config: { common: { "Max Size": "1" } } },
    { config: { common: { "max.size": "1" } } },
  ),
  row(
    "LabelReserved",
    "spec.podLabels[app.kubernetes.io/instance]",
    { podLabels: { "app.kubernetes.io/instance": "x" } },
    { podLabels: { "app.kubernetes.io/team": "x" } },
  ),
  row(
    "LabelReserved",
    "spec.template.search.labels[statefulset.kubernetes.io/pod-name]",
    { template: { search: { labels: { "statefulset.kubernetes.io/pod-name": "x" } } } },
    { template: { search: { labels: { tier: "x" } } } },
  ),
  row("LabelInvalid", "spec.podLabels[a]", { podLabels: { a: "b c" } }, { podLabels: { a: "b_c" } }),
  row(
    "LabelInvalid",
    "spec.template.ingest.nodeSelector[a]",
    { template: { ingest: { nodeSelector: { a: "-" } } } },
    { template: { ingest: { nodeSelector: { a: "" } } } },
  ),
  row(
    "AnnotationReserved",
    "spec.podAnnotations[chronik.stream/config-hash]",
    { podAnnotations: { "chronik.stream/config-hash": "x" } },
    { podAnnotations: { "prometheus.io/port": "9" } },
  ),
  row(
    "AnnotationInvalid",
    'spec.network.serviceAnnotations["a b"]',
    { network: { serviceAnnotations: { "a b": "x" } } },
    { network: { serviceAnnotations: { "Example.com/A": "any text\nat all" } } },
  ),
  row(
    "TopologyKeyInvalid",
    "spec.antiAffinityTopologyKey",
    { antiAffinityTopologyKey: "a b" },
    { antiAffinityTopologyKey: "example.com/rack" },
  ),
  row("ImageInvalid", "spec.image.ingest", { image: { ingest: "A B" } }, { image: { ingest: "a/b:1" } }),
  row(
    "VariableInvalid",
    "spec.env[0].name",
    { env: [{ name: "1A", value: "" }] },
    { env: [{ name: "A1", value: "" }] },
  ),
  row(
    "VariableInvalid",
    "spec.env[0].name",
    { env: [{ name: "POD_IP", value: "" }] },
    { env: [{ name: "POD", value: "" }] },
  ),
  row(
    "VariableInvalid",
    "spec.env[0]",
    { env: [{ name: "A" }] },
    { env: [{ name: "A", valueFromSecret: { name: "s", key: "k" } }] },
  ),
  row(
    "VariableInvalid",
    "spec.template.controller.env[1].name",
    {
      template: {
        controller: {
          env: [
            { name: "A", value: "1" },
            { name: "A", value: "2" },
          ],
        },
      },
    },
    {
      template: {
        controller: {
          env: [
            { name: "A", value: "1" },
            { name: "B", value: "2" },
          ],
        },
      },
    },
  ),
  row(
    "SecuritySettingForbidden",
    "spec.security.podSecurityContext.runAsUser",
    { security: { podSecurityContext: { runAsUser: 0 } } },
    { security: { podSecurityContext: { runAsUser: 1, runAsGroup: 0 } } },
  ),
  row(
    "SecuritySettingForbidden",
    "spec.security.podSecurityContext.runAsNonRoot",
    { security: { podSecurityContext: { runAsNonRoot: false } } },
    { security: { podSecurityContext: { runAsNonRoot: true } } },
  ),
  row(
    "SecuritySettingForbidden",
    "spec.security.containerSecurityContext.privileged",
    { security: { containerSecurityContext: { privileged: true } } },
    { security: { containerSecurityContext: { privileged: false } } },
  ),
  row(
    "SecuritySettingForbidden",
    "spec.security.containerSecurityContext.allowPrivilegeEscalation",
    { security: { containerSecurityContext: { allowPrivilegeEscalation: true } } },
    { security: { containerSecurityContext: { allowPrivilegeEscalation: false } } },
  ),
  row(
    "SecuritySettingForbidden",
    "spec.security.containerSecurityContext.runAsUser",
    { security: { containerSecurityContext: { runAsUser: 0 } } },
    { security: { containerSecurityContext: { runAsUser: 2000 } } },
  ),
  row(
    "SecuritySettingForbidden",
    "spec.security.containerSecurityContext.capabilities.add",
    { security: { containerSecurityContext: { capabilities: { add: ["SYS_ADMIN"] } } } },
    { security: { containerSecurityContext: { capabilities: { add: [], drop: ["ALL"] } } } },
  ),
  row(
    "SecuritySettingForbidden",
    "spec.security.containerSecurityContext.capabilities.drop",
    { security: { containerSecurityContext: { capabilities: { drop: ["NET_RAW"] } } } },
    { security: { containerSecurityContext: { capabilities: { drop: ["ALL", "NET_RAW"] } } } },
  ),
];
