// The values of the Helm chart, under the names that users of the Go operator's chart know, and the variables they set.

import {
  type ChartAlias,
  type ChartSwitch,
  type ChartVariable,
  computeResourceVariables,
  type PlainVariable,
} from "@homeostat/operator";
import { defaultAmounts } from "./settings.ts";

function variable(name: string, value: string, rest: Omit<PlainVariable, "variable" | "value">): ChartVariable {
  return { variable: name, value, ...rest };
}

const former = "config.loadGenerationPods";

const kafka: ChartSwitch = {
  value: "kafka.enabled",
  default: false,
  help: "Whether the values below are used. Otherwise pods get the operator's defaults.",
};

/** Every variable that the operator reads, except those that are flags as well. */
export const chartVariables: readonly ChartVariable[] = [
  ...computeResourceVariables({
    prefix: "POD",
    value: "locustPods.resources",
    defaults: defaultAmounts,
    formerly: `${former}.resource`,
  }),
  ...computeResourceVariables({ prefix: "MASTER_POD", value: "locustPods.masterResources" }),
  ...computeResourceVariables({ prefix: "WORKER_POD", value: "locustPods.workerResources" }),
  variable("ENABLE_AFFINITY_CR_INJECTION", "locustPods.affinityInjection", {
    default: true,
    help: "Whether the affinity of a test is used.",
    formerly: `${former}.affinity.enableCrInjection`,
  }),
  variable("ENABLE_TAINT_TOLERATIONS_CR_INJECTION", "locustPods.tolerationsInjection", {
    default: true,
    help: "Whether the tolerations of a test are used.",
    formerly: `${former}.taintTolerations.enableCrInjection`,
  }),
  variable("DEFAULT_RUNTIME_CLASS_NAME", "locustPods.runtimeClassName", {
    default: "",
    help: "Runtime class of pods whose test sets none.",
  }),
  variable("JOB_TTL_SECONDS_AFTER_FINISHED", "locustPods.ttlSecondsAfterFinished", {
    default: "",
    help: "TTL of finished Jobs in seconds; empty keeps them.",
    formerly: "config.loadGenerationJobs.ttlSecondsAfterFinished",
  }),
  variable("POD_STARTUP_GRACE_SECONDS", "locustPods.startupGraceSeconds", {
    default: 120,
    help: "A pod younger than this is never reported as failing.",
  }),
  variable("METRICS_EXPORTER_IMAGE", "locustPods.metricsExporter.image", {
    default: "containersol/locust_exporter:v0.5.0",
    formerly: `${former}.metricsExporter.image`,
  }),
  variable("METRICS_EXPORTER_PORT", "locustPods.metricsExporter.port", {
    default: 9646,
    formerly: `${former}.metricsExporter.port`,
  }),
  variable("METRICS_EXPORTER_IMAGE_PULL_POLICY", "locustPods.metricsExporter.pullPolicy", {
    default: "IfNotPresent",
    formerly: `${former}.metricsExporter.pullPolicy`,
  }),
  ...computeResourceVariables({
    prefix: "METRICS_EXPORTER",
    value: "locustPods.metricsExporter.resources",
    defaults: {
      requests: { cpu: "100m", memory: "64Mi", "ephemeral-storage": "30M" },
      limits: { cpu: "250m", memory: "128Mi", "ephemeral-storage": "50M" },
    },
  }),
  variable("KAFKA_INJECTION", "kafka.injection", {
    default: "always",
    help: "Whether pods get the Kafka variables: always, or auto for only when bootstrapServers is set.",
  }),
  variable("KAFKA_BOOTSTRAP_SERVERS", "kafka.bootstrapServers", {
    default: "",
    help: "Default when empty: localhost:9092.",
    formerly: `${former}.kafka.bootstrapServers`,
    when: kafka,
  }),
  variable("KAFKA_SECURITY_ENABLED", "kafka.security.enabled", { default: false, when: kafka }),
  variable("KAFKA_SECURITY_PROTOCOL_CONFIG", "kafka.security.protocol", { default: "SASL_PLAINTEXT", when: kafka }),
  variable("KAFKA_SASL_MECHANISM", "kafka.security.saslMechanism", { default: "SCRAM-SHA-512", when: kafka }),
  variable("KAFKA_SASL_JAAS_CONFIG", "kafka.security.jaasConfig", { default: "", when: kafka }),
  {
    variable: "KAFKA_USERNAME",
    secret: "kafka.credentials.secretName",
    key: "kafka.credentials.usernameKey",
    default: "username",
    help: "A Secret with username and password. Both appear in the pods of tests in clear text.",
    when: kafka,
  },
  {
    variable: "KAFKA_PASSWORD",
    secret: "kafka.credentials.secretName",
    key: "kafka.credentials.passwordKey",
    default: "password",
    when: kafka,
  },
  variable("LIVE_STATS_ENABLED", "liveStats.enabled", {
    default: true,
    help: "Whether the operator polls running masters for statistics.",
  }),
  variable("LIVE_STATS_ACCESS", "liveStats.access", {
    default: "podIP",
    help: "How masters are reached: podIP or off. The chart does not grant the rights for apiProxy.",
  }),
  variable("LIVE_STATS_INTERVAL_SECONDS", "liveStats.intervalSeconds", { default: 5, help: "Seconds between polls." }),
  variable("MAX_CONCURRENT_RECONCILES", "maxConcurrentReconciles", {
    default: 4,
    help: "Number of tests reconciled concurrently.",
  }),
];

/** Values of the Go operator's chart that have other names here. */
export const chartAliases: readonly ChartAlias[] = [
  {
    value: "replicaCount",
    help: "Another name for replicas.",
    schema: { type: "integer", minimum: 0 },
    becomes: { to: "replicas" },
  },
  {
    value: "extraEnv",
    help: "Another name for env.",
    schema: { type: "array", items: { type: "object" } },
    becomes: { to: "env" },
  },
  {
    value: "image.pullSecrets",
    help: "Another name for imagePullSecrets.",
    schema: { type: "array", items: { type: "string" } },
    becomes: { to: "imagePullSecrets" },
  },
  {
    value: "fullnameOverride",
    help: "Another name for nameOverride.",
    schema: { type: "string", maxLength: 40, pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$" },
    becomes: { to: "nameOverride", when: 'ne $value ""' },
  },
  {
    value: "webhook.certManager.enabled",
    help: "Another name for webhook.certificates: true is cert-manager, false is self-managed.",
    schema: { type: "boolean" },
    becomes: { to: "webhook.certificates", as: 'ternary "cert-manager" "self-managed" $value' },
  },
  {
    value: "k8s.clusterRole.enabled",
    help: "When false and watchNamespaces is empty, only the namespace of the release is watched, with a Role.",
    schema: { type: "boolean" },
    becomes: { to: "watchNamespaces", as: "list .Release.Namespace", when: "not (or $value .Values.watchNamespaces)" },
  },
  {
    value: "otelCollector",
    help: "Not part of this chart. Values files that disable it may stay unchanged.",
    schema: { type: "object" },
    becomes: {
      refusal:
        "otelCollector.enabled: this chart installs no collector. Install one by its own chart, and name it in spec.observability.openTelemetry.endpoint of your tests.",
      when: 'dig "enabled" false $value',
    },
  },
];
