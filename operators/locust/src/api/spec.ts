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
  command: s.string().describe("The beginning of the command line, split at white space. Quotes are not interpreted."),
  resources: s.embedded(core.resourceRequirements).optional().describe("Replaces the operator's defaults as a whole."),
  labels: texts.optional().describe("Labels of the pods."),
  annotations: texts.optional().describe("Annotations of the pods."),
  extraArgs: s.list(s.string()).atomic().optional().describe("Arguments appended to the command line unchanged."),
};

const autoquit = s.object({
  enabled: s.bool().default(true).describe("Whether the master exits after the test."),
  timeout: s.int().min(0).default(60).describe("Seconds between the end of the test and the exit."),
});

const master = s.object({
  ...role,
  autostart: s.bool().default(true).describe("Start the load as soon as all workers are connected."),
  autoquit: autoquit.optional().describe("Default: enabled, after 60 seconds. Has no effect without autostart."),
});

const worker = s.object({
  ...role,
  replicas: s.int().min(1).max(500).describe("The number of workers."),
  backoffLimit: s.int().min(0).max(1000).default(0).describe("Failed workers replaced before the test fails."),
  ignoreDisruptions: s.bool().default(false).describe("Workers lost to drains and evictions do not count as failed."),
  connectTimeoutSeconds: s.int().min(0).default(0).describe("How long the master waits for workers; 0 is forever."),
});

const testFiles = s.object({
  configMapRef: s.string().optional().describe("The ConfigMap with the files of the test."),
  libConfigMapRef: s.string().optional().describe("The ConfigMap with library files."),
  srcMountPath: s.string().default("/lotest/src").describe("Mount path of the files of the test."),
  libMountPath: s.string().default("/opt/locust/lib").describe("Mount path of the library files."),
});

const scheduling = s.object({
  affinity: s.embedded(core.affinity).optional().describe("Used only if the operator allows it."),
  tolerations: s.list(s.embedded(core.toleration)).atomic().optional().describe("Used only if the operator allows it."),
  nodeSelector: texts.optional(),
  runtimeClassName: s
    .string()
    .max(253)
    .pattern(String.raw`^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
    .optional()
    .describe("The runtime class of the pods. Default: the operator's setting; an empty string means none."),
});

const source = s.object({ name: s.string(), prefix: s.string().optional() });
const secretMount = s.object({ name: s.string(), mountPath: s.string(), readOnly: s.bool().default(true) });

const env = s.object({
  configMapRefs: s.list(source).atomic().optional().describe("ConfigMaps whose keys become environment variables."),
  secretRefs: s.list(source).atomic().optional().describe("Secrets whose keys become environment variables."),
  variables: s.list(s.embedded(core.envVar)).atomic().optional().describe("Variables. They override the operator's."),
  secretMounts: s.list(secretMount).atomic().optional().describe("Secrets mounted as files."),
});

const mount = s
  .embedded(core.volumeMount)
  .extend({ target: s.enum("master", "worker", "both").default("both").describe("The pods that get the mount.") });

const security = s.object({
  podSecurityContext: s
    .embedded(core.podSecurityContext)
    .optional()
    .describe("Replaces the default; not merged with it."),
  containerSecurityContext: s.embedded(core.securityContext).optional().describe("Of the Locust container."),
});

const openTelemetry = s.object({
  enabled: s.bool().default(false),
  endpoint: s.string().optional().describe("The collector's endpoint. Required when enabled."),
  protocol: s.enum("grpc", "http/protobuf").default("grpc"),
  insecure: s.bool().default(false),
  extraEnvVars: texts.optional(),
});

const liveStats = s.object({
  enabled: s.bool().default(true).describe("Whether the operator polls the master for statistics during the run."),
  intervalSeconds: s.int().min(2).max(300).default(5).describe("Seconds between polls."),
});

const threshold = s
  .object({
    metric: s.enum(...metrics).describe("The metric that is compared."),
    name: s.string().max(2048).default("Aggregated").describe("The name of the request in Locust's statistics."),
    method: s.string().max(64).optional().describe("The method of the request, where a name has several."),
    max: s.number().optional().describe("The threshold fails above this value."),
    min: s.number().optional().describe("The threshold fails below this value."),
    abortOnFail: s.bool().default(false).describe("Whether a failing threshold stops the run."),
    holdSeconds: s.int().min(0).default(0).describe("Seconds the threshold must fail before it stops the run."),
    minRequests: s.int().min(0).default(0).describe("The threshold is not evaluated below this number of requests."),
  })
  .rule({ rule: "has(self.min) || has(self.max)", message: "set min or max" });

const webUI = s.object({
  expose: s.enum("None", "Service").default("None").describe("Whether a Service exposes the web UI."),
  serviceType: s.enum("ClusterIP", "NodePort", "LoadBalancer").default("ClusterIP"),
  annotations: texts.optional().describe("Annotations of that Service."),
  basePath: s.string().max(1024).pattern("^/").optional().describe("Path prefix of the web UI behind a proxy."),
});

const results = s.object({
  store: s.enum("None", "ConfigMap").default("None").describe("Where results are kept after the pods are gone."),
});

export const v2Spec = {
  image: s.string().describe("The Locust image."),
  imagePullPolicy: s.enum("Always", "IfNotPresent", "Never").default("IfNotPresent"),
  imagePullSecrets: s.list(s.embedded(core.localObjectReference)).atomic().optional(),
  master: master.describe("The pod that coordinates the test."),
  worker: worker.describe("The pods that generate the load."),
  testFiles: testFiles.optional().describe("The files of the test, from ConfigMaps."),
  scheduling: scheduling.optional().describe("Placement of the pods."),
  env: env.optional().describe("The environment of the Locust containers."),
  volumes: s.list(s.embedded(core.volume)).atomic().optional(),
  volumeMounts: s.list(mount).atomic().optional(),
  security: security.optional(),
  observability: s.object({ openTelemetry: openTelemetry.optional() }).optional(),
  liveStats: liveStats.optional().describe("Statistics in the status while the test runs."),
  thresholds: s.list(threshold).atomic().max(100).optional().describe("Limits that decide whether the test passes."),
  timeoutSeconds: s.int().min(1).optional().describe("The operator stops the test this long after its start."),
  ttlSecondsAfterFinished: s
    .int()
    .min(0)
    .optional()
    .describe("TTL of the Jobs once their result is recorded; overrides the operator's setting."),
  webUI: webUI.optional(),
  results: results.optional(),
};
