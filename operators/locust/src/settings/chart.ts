// The values of the chart, under the names that people have in their files, and the variables they set.

import type { ChartAlias, ChartSwitch, ChartVariable } from "@homeostat/operator";

const amounts = [
  { name: "CPU", key: "cpu", former: "cpu" },
  { name: "MEM", key: "memory", former: "mem" },
  { name: "EPHEMERAL", key: "ephemeralStorage", former: "ephemeral" },
] as const;

/** What containers get by the chart: requests and limits of cpu, memory and ephemeral storage. */
const locust = { requests: ["250m", "128Mi", "30M"], limits: ["1000m", "1024Mi", "50M"] } as const;
const exporter = { requests: ["100m", "64Mi", "30M"], limits: ["250m", "128Mi", "50M"] } as const;
const nothing = { requests: ["", "", ""], limits: ["", "", ""] } as const;

interface Group {
  readonly prefix: string;
  readonly value: string;
  readonly defaults: typeof locust | typeof exporter | typeof nothing;
  readonly formerly?: string;
}

function resources({ prefix, value, defaults, formerly }: Group): ChartVariable[] {
  return (["requests", "limits"] as const).flatMap((kind) =>
    amounts.map(({ name, key, former }, index): ChartVariable => {
      const word = kind === "requests" ? "Request" : "Limit";
      return {
        variable: `${prefix}_${name}_${word.toUpperCase()}`,
        value: `${value}.${kind}.${key}`,
        default: defaults[kind][index] ?? "",
        ...(formerly !== undefined && { formerly: `${formerly}.${former}${word}` }),
      };
    }),
  );
}

const former = "config.loadGenerationPods";

const kafka: ChartSwitch = {
  value: "kafka.enabled",
  default: false,
  help: "Whether the values below count. Without, pods get the defaults of the program.",
};

/** Every variable that the operator reads, but for those that its flags have too. */
export const chartVariables: readonly ChartVariable[] = [
  ...resources({
    prefix: "POD",
    value: "locustPods.resources",
    defaults: locust,
    formerly: `${former}.resource`,
  }),
  ...resources({ prefix: "MASTER_POD", value: "locustPods.masterResources", defaults: nothing }),
  ...resources({ prefix: "WORKER_POD", value: "locustPods.workerResources", defaults: nothing }),
  {
    variable: "ENABLE_AFFINITY_CR_INJECTION",
    value: "locustPods.affinityInjection",
    default: true,
    help: "Whether the affinity of a test is used.",
    formerly: `${former}.affinity.enableCrInjection`,
  },
  {
    variable: "ENABLE_TAINT_TOLERATIONS_CR_INJECTION",
    value: "locustPods.tolerationsInjection",
    default: true,
    help: "Whether the tolerations of a test are used.",
    formerly: `${former}.taintTolerations.enableCrInjection`,
  },
  {
    variable: "DEFAULT_RUNTIME_CLASS_NAME",
    value: "locustPods.runtimeClassName",
    default: "",
    help: "The runtime class of pods whose test names none.",
  },
  {
    variable: "JOB_TTL_SECONDS_AFTER_FINISHED",
    value: "locustPods.ttlSecondsAfterFinished",
    default: "",
    help: "How long finished Jobs are kept; empty for as long as nobody deletes them.",
    formerly: "config.loadGenerationJobs.ttlSecondsAfterFinished",
  },
  {
    variable: "POD_STARTUP_GRACE_SECONDS",
    value: "locustPods.startupGraceSeconds",
    default: 120,
    help: "How long a pod may take before what is wrong with it counts.",
  },
  {
    variable: "METRICS_EXPORTER_IMAGE",
    value: "locustPods.metricsExporter.image",
    default: "containersol/locust_exporter:v0.5.0",
    formerly: `${former}.metricsExporter.image`,
  },
  {
    variable: "METRICS_EXPORTER_PORT",
    value: "locustPods.metricsExporter.port",
    default: 9646,
    formerly: `${former}.metricsExporter.port`,
  },
  {
    variable: "METRICS_EXPORTER_IMAGE_PULL_POLICY",
    value: "locustPods.metricsExporter.pullPolicy",
    default: "IfNotPresent",
    formerly: `${former}.metricsExporter.pullPolicy`,
  },
  ...resources({
    prefix: "METRICS_EXPORTER",
    value: "locustPods.metricsExporter.resources",
    defaults: exporter,
  }),
  {
    variable: "KAFKA_INJECTION",
    value: "kafka.injection",
    default: "always",
    help: "Whether pods get the variables for Kafka: always, or auto for only where a server is named.",
  },
  {
    variable: "KAFKA_BOOTSTRAP_SERVERS",
    value: "kafka.bootstrapServers",
    default: "",
    help: "When empty: localhost:9092.",
    formerly: `${former}.kafka.bootstrapServers`,
    when: kafka,
  },
  { variable: "KAFKA_SECURITY_ENABLED", value: "kafka.security.enabled", default: false, when: kafka },
  {
    variable: "KAFKA_SECURITY_PROTOCOL_CONFIG",
    value: "kafka.security.protocol",
    default: "SASL_PLAINTEXT",
    when: kafka,
  },
  { variable: "KAFKA_SASL_MECHANISM", value: "kafka.security.saslMechanism", default: "SCRAM-SHA-512", when: kafka },
  { variable: "KAFKA_SASL_JAAS_CONFIG", value: "kafka.security.jaasConfig", default: "", when: kafka },
  {
    variable: "KAFKA_USERNAME",
    secret: "kafka.credentials.secretName",
    key: "kafka.credentials.usernameKey",
    default: "username",
    help: "A Secret with name and password. Both end up in the pods of tests, in clear text.",
    when: kafka,
  },
  {
    variable: "KAFKA_PASSWORD",
    secret: "kafka.credentials.secretName",
    key: "kafka.credentials.passwordKey",
    default: "password",
    when: kafka,
  },
  {
    variable: "LIVE_STATS_ENABLED",
    value: "liveStats.enabled",
    default: true,
    help: "Whether running masters are asked for their numbers.",
  },
  {
    variable: "LIVE_STATS_ACCESS",
    value: "liveStats.access",
    default: "podIP",
    help: "How they are reached: podIP, or off. The rights for apiProxy are not part of this chart.",
  },
  { variable: "LIVE_STATS_INTERVAL_SECONDS", value: "liveStats.intervalSeconds", default: 5, help: "How often." },
  {
    variable: "MAX_CONCURRENT_RECONCILES",
    value: "maxConcurrentReconciles",
    default: 4,
    help: "How many tests are worked on at once.",
  },
];

const truth = { type: "boolean" };

/** Values of the chart of the operator in Go that have other names here. */
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
    help: "Another way to say who makes certificates: true for cert-manager, false for the operator.",
    schema: truth,
    becomes: { to: "webhook.certificates", as: 'ternary "cert-manager" "self-managed" $value' },
  },
  {
    value: "k8s.clusterRole.enabled",
    help: "When false, and watchNamespaces is empty: only the namespace of the release is watched, with a Role.",
    schema: truth,
    becomes: { to: "watchNamespaces", as: "list .Release.Namespace", when: "not (or $value .Values.watchNamespaces)" },
  },
  {
    value: "otelCollector",
    help: "Not part of this chart. Files that turn it off may stay as they are.",
    schema: { type: "object" },
    becomes: {
      refusal:
        "otelCollector.enabled: this chart installs no collector. Install one by its own chart, and name it in spec.observability.openTelemetry.endpoint of your tests.",
      when: 'dig "enabled" false $value',
    },
  },
];
