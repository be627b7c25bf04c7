// The spec of a v2 test.

import { s } from "homeostat";
import * as core from "@homeostat/kubernetes/core/v1/schemas";

/** Metrics that a threshold can be set on. */
export const metrics = [
  "failRatio",
  "averageResponseTime",
  "medianResponseTime",
  "p95ResponseTime",
  "p99ResponseTime",
  "maxResponseTime",
  "requestsPerSecond",
  "failuresPerSecond",
  "totalRequests",
  "failedRequests",
  "missingWorkers",
] as const;

const texts = s.map(s.string());

const role = {
  command: s
    .string()
    .describe(
      "Start of the command line, split at whitespace; quotes are not interpreted. The operator appends its own flags and extraArgs.",
    ),
  resources: s
    .embedded(core.resourceRequirements)
    .optional()
    .describe("Compute resources of the Locust container. Replaces the operator's defaults; the two are not merged."),
  labels: texts.optional().describe("Additional labels of the pods."),
  annotations: texts.optional().describe("Additional annotations of the pods."),
  extraArgs: s
    .list(s.string())
    .atomic()
    .optional()
    .describe("Arguments appended unchanged after the operator's own flags."),
};

const autoquit = s.object({
  enabled: s.bool().default(true).describe("If true, the master exits after the test."),
  timeout: s.int().min(0).default(60).describe("Seconds between the end of the test and the exit of the master."),
});

const master = s.object({
  ...role,
  autostart: s.bool().default(true).describe("If true, the load starts as soon as all workers are connected."),
  autoquit: autoquit
    .optional()
    .describe(
      "Exit of the master after the test. Default: enabled, after 60 seconds. Has no effect without autostart.",
    ),
});

const worker = s.object({
  ...role,
  replicas: s.int().min(1).max(500).describe("Number of worker pods."),
  backoffLimit: s
    .int()
    .min(0)
    .max(1000)
    .default(0)
    .describe("Number of failed workers that are replaced before the test fails."),
  ignoreDisruptions: s
    .bool()
    .default(false)
    .describe("If true, workers lost to node drains and evictions are replaced and do not count as failed."),
  connectTimeoutSeconds: s
    .int()
    .min(0)
    .default(0)
    .describe("Seconds that the master waits for all workers to connect; 0 means no limit."),
});

const testFiles = s.object({
  configMapRef: s.string().optional().describe("Name of the ConfigMap with the test files."),
  libConfigMapRef: s.string().optional().describe("Name of the ConfigMap with library files."),
  srcMountPath: s.string().default("/lotest/src").describe("Mount path of the test files."),
  libMountPath: s.string().default("/opt/locust/lib").describe("Mount path of the library files."),
});

const scheduling = s.object({
  affinity: s
    .embedded(core.affinity)
    .optional()
    .describe("Affinity of the pods. Ignored unless the operator sets ENABLE_AFFINITY_CR_INJECTION."),
  tolerations: s
    .list(s.embedded(core.toleration))
    .atomic()
    .optional()
    .describe("Tolerations of the pods. Ignored unless the operator sets ENABLE_TAINT_TOLERATIONS_CR_INJECTION."),
  nodeSelector: texts.optional().describe("Labels that the node of a pod must have."),
  runtimeClassName: s
    .string()
    .max(253)
    .pattern(String.raw`^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
    .optional()
    .describe(
      "Runtime class of the pods. Default: DEFAULT_RUNTIME_CLASS_NAME of the operator; an empty string means none.",
    ),
});

const source = s.object({
  name: s.string().describe("Name of the object in the namespace of the test."),
  prefix: s.string().optional().describe("Prefix of the variable names."),
});
const secretMount = s.object({ name: s.string(), mountPath: s.string(), readOnly: s.bool().default(true) });

const env = s.object({
  configMapRefs: s.list(source).atomic().optional().describe("ConfigMaps whose keys become environment variables."),
  secretRefs: s.list(source).atomic().optional().describe("Secrets whose keys become environment variables."),
  variables: s
    .list(s.embedded(core.envVar))
    .atomic()
    .optional()
    .describe("Environment variables. They override those of the operator."),
  secretMounts: s.list(secretMount).atomic().optional().describe("Secrets mounted as files."),
});

const mount = s
  .embedded(core.volumeMount)
  .extend({ target: s.enum("master", "worker", "both").default("both").describe("Pods that get the mount.") });

const security = s.object({
  podSecurityContext: s
    .embedded(core.podSecurityContext)
    .optional()
    .describe("Security context of the pods. Replaces the operator's default; the two are not merged."),
  containerSecurityContext: s
    .embedded(core.securityContext)
    .optional()
    .describe("Security context of the Locust container. Replaces the operator's default; the two are not merged."),
});

const openTelemetry = s.object({
  enabled: s.bool().default(false).describe("If true, Locust exports traces and metrics to a collector."),
  endpoint: s.string().optional().describe("Endpoint of the collector. Required if enabled is true."),
  protocol: s.enum("grpc", "http/protobuf").default("grpc").describe("OTLP protocol."),
  insecure: s.bool().default(false).describe("If true, connections to the collector do not use TLS."),
  extraEnvVars: texts.optional().describe("Additional environment variables of the Locust containers."),
});

const liveStats = s.object({
  enabled: s.bool().default(true).describe("If true, the operator polls the master for statistics during the run."),
  intervalSeconds: s.int().min(2).max(300).default(5).describe("Seconds between polls."),
});

const threshold = s
  .object({
    metric: s.enum(...metrics).describe("Metric that is compared with the limits."),
    name: s
      .string()
      .max(2048)
      .default("Aggregated")
      .describe("Name of the request in Locust's statistics. Aggregated stands for all requests."),
    method: s.string().max(64).optional().describe("Method of the request, if several requests have the same name."),
    max: s.number().optional().describe("The threshold fails above this value."),
    min: s.number().optional().describe("The threshold fails below this value."),
    abortOnFail: s.bool().default(false).describe("If true, a failing threshold stops the run."),
    holdSeconds: s
      .int()
      .min(0)
      .default(0)
      .describe("Seconds that the threshold must fail continuously before it stops the run."),
    minRequests: s.int().min(0).default(0).describe("Minimum number of requests before the threshold is evaluated."),
  })
  .rule({ rule: "has(self.min) || has(self.max)", message: "set min or max" });

const webUI = s.object({
  expose: s.enum("None", "Service").default("None").describe("If Service, a Service exposes the web UI."),
  serviceType: s
    .enum("ClusterIP", "NodePort", "LoadBalancer")
    .default("ClusterIP")
    .describe("Type of the web UI Service."),
  annotations: texts.optional().describe("Annotations of the web UI Service."),
  basePath: s.string().max(1024).pattern("^/").optional().describe("Path prefix of the web UI behind a proxy."),
});

const results = s.object({
  store: s
    .enum("None", "ConfigMap")
    .default("None")
    .describe("If ConfigMap, the results are stored in a ConfigMap that outlives the pods."),
});

export const v2Spec = {
  image: s.string().describe("Locust image."),
  imagePullPolicy: s
    .enum("Always", "IfNotPresent", "Never")
    .default("IfNotPresent")
    .describe("Pull policy of the Locust image."),
  imagePullSecrets: s
    .list(s.embedded(core.localObjectReference))
    .atomic()
    .optional()
    .describe("Secrets to pull the image with."),
  master: master.describe("The pod that coordinates the test."),
  worker: worker.describe("The pods that generate the load."),
  testFiles: testFiles.optional().describe("Test files, mounted from ConfigMaps."),
  scheduling: scheduling.optional().describe("Placement of the pods."),
  env: env.optional().describe("Environment of the Locust containers."),
  volumes: s.list(s.embedded(core.volume)).atomic().optional().describe("Additional volumes of the pods."),
  volumeMounts: s.list(mount).atomic().optional().describe("Mounts of these volumes in the Locust containers."),
  security: security.optional().describe("Security contexts of the pods and the Locust containers."),
  observability: s.object({ openTelemetry: openTelemetry.optional().describe("Telemetry of Locust.") }).optional(),
  liveStats: liveStats.optional().describe("Statistics in the status while the test runs."),
  thresholds: s.list(threshold).atomic().max(100).optional().describe("Limits that decide whether the test passes."),
  timeoutSeconds: s
    .int()
    .min(1)
    .optional()
    .describe("Maximum duration of a run in seconds. When it is exceeded, the operator stops the test."),
  ttlSecondsAfterFinished: s
    .int()
    .min(0)
    .optional()
    .describe(
      "TTL of the finished Jobs in seconds, applied once their result is recorded. Overrides the operator's setting.",
    ),
  webUI: webUI.optional().describe("Web UI of the master."),
  results: results.optional().describe("Storage of the results."),
};
