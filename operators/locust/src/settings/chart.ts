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
  help: "Set the Kafka values below on the operator. If false, the operator uses its own defaults.",
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
    help: "Apply the affinity of a test to its pods.",
    formerly: `${former}.affinity.enableCrInjection`,
  }),
  variable("ENABLE_TAINT_TOLERATIONS_CR_INJECTION", "locustPods.tolerationsInjection", {
    default: true,
    help: "Apply the tolerations of a test to its pods.",
    formerly: `${former}.taintTolerations.enableCrInjection`,
  }),
  variable("DEFAULT_RUNTIME_CLASS_NAME", "locustPods.runtimeClassName", {
    default: "",
    help: "Runtime class of pods whose test does not set one.",
  }),
  variable("JOB_TTL_SECONDS_AFTER_FINISHED", "locustPods.ttlSecondsAfterFinished", {
    default: "",
    help: "TTL of finished Jobs in seconds. Empty: finished Jobs are kept.",
    formerly: "config.loadGenerationJobs.ttlSecondsAfterFinished",
  }),
  variable("POD_STARTUP_GRACE_SECONDS", "locustPods.startupGraceSeconds", {
    default: 120,
    help: "Age in seconds up to which a pod is not reported as failing.",
  }),
  variable("ALLOW_HOST_ACCESS", "locustPods.allowHostAccess", {
    default: false,
    help: "Allow tests to use hostPath volumes, privileged containers and other features that give root access to a node.",
  }),
  variable("CHECK_REFERENCE_ACCESS", "locustPods.checkReferenceAccess", {
    default: true,
    help: "Let the webhook deny tests that reference Secrets or ConfigMaps which the requesting user cannot read.",
  }),
  variable("MOUNT_SERVICE_ACCOUNT_TOKEN", "locustPods.mountServiceAccountToken", {
    default: false,
    help: "Mount the service account token into the pods.",
  }),
  variable("RESTRICTED_PODS", "locustPods.restricted", {
    default: false,
    help: "Make pods satisfy the Pod Security Standard restricted, unless a test sets its own security context.",
  }),
  variable("RESTRICTED_PODS_RUN_AS_USER", "locustPods.restrictedRunAsUser", {
    default: "",
    help: "User ID of restricted pods. Required for images whose user is a name and not a number: 1000 for the official image.",
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
    help: "Condition for passing the Kafka variables to pods: always, or auto (only if bootstrapServers is set).",
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
    help: "Deprecated, use testCredentials. A Secret in the release namespace; its values appear in clear text in the pods.",
    when: kafka,
  },
  {
    variable: "KAFKA_PASSWORD",
    secret: "kafka.credentials.secretName",
    key: "kafka.credentials.passwordKey",
    default: "password",
    when: kafka,
  },
  variable("KAFKA_CREDENTIALS_SECRET", "kafka.testCredentials.secretName", {
    default: "",
    help: "Name of a Secret with username and password in each namespace with tests. The operator does not read it.",
    when: kafka,
  }),
  variable("KAFKA_CREDENTIALS_USERNAME_KEY", "kafka.testCredentials.usernameKey", { default: "username", when: kafka }),
  variable("KAFKA_CREDENTIALS_PASSWORD_KEY", "kafka.testCredentials.passwordKey", { default: "password", when: kafka }),
  variable("KAFKA_CREDENTIALS_JAAS_CONFIG_KEY", "kafka.testCredentials.jaasConfigKey", {
    default: "",
    help: "Key of the Secret with the JAAS configuration. If set, it replaces security.jaasConfig.",
    when: kafka,
  }),
  variable("LIVE_STATS_ENABLED", "liveStats.enabled", {
    default: true,
    help: "Poll running masters for statistics.",
  }),
  variable("LIVE_STATS_ACCESS", "liveStats.access", {
    default: "podIP",
    help: "Connection to masters: podIP, apiProxy or off. The chart does not grant the permissions that apiProxy needs.",
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
    help: "Alias for replicas.",
    schema: { type: "integer", minimum: 0 },
    becomes: { to: "replicas" },
  },
  {
    value: "extraEnv",
    help: "Alias for env.",
    schema: { type: "array", items: { type: "object" } },
    becomes: { to: "env" },
  },
  {
    value: "image.pullSecrets",
    help: "Alias for imagePullSecrets.",
    schema: { type: "array", items: { type: "string" } },
    becomes: { to: "imagePullSecrets" },
  },
  {
    value: "fullnameOverride",
    help: "Alias for nameOverride.",
    schema: { type: "string", maxLength: 40, pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$" },
    becomes: { to: "nameOverride", when: 'ne $value ""' },
  },
  {
    value: "webhook.certManager.enabled",
    help: "Alias for webhook.certificates: true is cert-manager, false is self-managed.",
    schema: { type: "boolean" },
    becomes: { to: "webhook.certificates", as: 'ternary "cert-manager" "self-managed" $value' },
  },
  {
    value: "k8s.clusterRole.enabled",
    help: "If false and watchNamespaces is empty, the operator watches only the release namespace and gets a Role.",
    schema: { type: "boolean" },
    becomes: { to: "watchNamespaces", as: "list .Release.Namespace", when: "not (or $value .Values.watchNamespaces)" },
  },
  {
    value: "otelCollector",
    help: "Not part of this chart. Accepted so that values files which disable it need no change.",
    schema: { type: "object" },
    becomes: {
      refusal:
        "otelCollector.enabled: this chart does not install a collector. Install one with its own chart, and set spec.observability.openTelemetry.endpoint of your tests to it.",
      when: 'dig "enabled" false $value',
    },
  },
];
