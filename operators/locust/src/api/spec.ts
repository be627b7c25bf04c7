// The fields that a v2 test is asked for with.

import {
  affinity,
  envVar,
  localObjectReference,
  podSecurityContext,
  resourceRequirements,
  securityContext,
  toleration,
  volume,
  volumeMount,
} from "@homeostat/kubernetes/core/v1/schemas";
import { s } from "@homeostat/schema";

/** What can be judged by a threshold. */
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
  resources: s
    .embedded(resourceRequirements)
    .optional()
    .describe("Used as a whole instead of the operator's defaults when it has any request or limit."),
  labels: texts.optional().describe("Labels of the pods."),
  annotations: texts.optional().describe("Annotations of the pods."),
  extraArgs: s
    .list(s.string())
    .atomic()
    .optional()
    .describe("Appended to the command line as they are, one item per argument."),
};

const autoquit = s.object({
  enabled: s.bool().default(true).describe("Whether the master ends after the test."),
  timeout: s.int().min(0).default(60).describe("How many seconds it waits before it does."),
});

const master = s.object({
  ...role,
  autostart: s.bool().default(true).describe("Start the load as soon as all workers are connected."),
  autoquit: autoquit.optional().describe("When left out: enabled, after 60 seconds. Has no effect without autostart."),
});

const worker = s.object({
  ...role,
  replicas: s.int().min(1).max(500).describe("The number of workers."),
  backoffLimit: s
    .int()
    .min(0)
    .max(1000)
    .default(0)
    .describe("How many failed workers are replaced before the test fails."),
  ignoreDisruptions: s
    .bool()
    .default(false)
    .describe("Whether workers lost to drains and evictions do not count as failed; those that broke are replaced."),
  connectTimeoutSeconds: s
    .int()
    .min(0)
    .default(0)
    .describe("How many seconds the master waits for its workers before it gives up; 0 is for ever."),
});

const testFiles = s.object({
  configMapRef: s.string().optional().describe("The ConfigMap with the files of the test."),
  libConfigMapRef: s.string().optional().describe("The ConfigMap with library files."),
  srcMountPath: s.string().default("/lotest/src").describe("Where the files of the test are found in the pods."),
  libMountPath: s.string().default("/opt/locust/lib").describe("Where the library files are found in the pods."),
});

const scheduling = s.object({
  affinity: s.embedded(affinity).optional().describe("Used only if the operator allows it."),
  tolerations: s.list(s.embedded(toleration)).atomic().optional().describe("Used only if the operator allows it."),
  nodeSelector: texts.optional(),
  runtimeClassName: s
    .string()
    .max(253)
    .pattern(String.raw`^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
    .optional()
    .describe("The runtime class of the pods. When left out: the operator's; an empty text is none."),
});

const source = s.object({ name: s.string(), prefix: s.string().optional() });

const env = s.object({
  configMapRefs: s
    .list(source)
    .atomic()
    .optional()
    .describe("ConfigMaps whose keys become variables, after the prefix."),
  secretRefs: s.list(source).atomic().optional().describe("Secrets whose keys become variables, after the prefix."),
  variables: s.list(s.embedded(envVar)).atomic().optional().describe("Variables. They beat those of the operator."),
  secretMounts: s
    .list(s.object({ name: s.string(), mountPath: s.string(), readOnly: s.bool().default(true) }))
    .atomic()
    .optional()
    .describe("Secrets that are mounted as files."),
});

const mount = s
  .embedded(volumeMount)
  .extend({ target: s.enum("master", "worker", "both").default("both").describe("Whose pods have the mount.") });

const security = s.object({
  podSecurityContext: s.embedded(podSecurityContext).optional().describe("Instead of the default, not merged with it."),
  containerSecurityContext: s.embedded(securityContext).optional().describe("Of the Locust container."),
});

const openTelemetry = s.object({
  enabled: s.bool().default(false),
  endpoint: s.string().optional().describe("Where to send to. Required when enabled."),
  protocol: s.enum("grpc", "http/protobuf").default("grpc"),
  insecure: s.bool().default(false),
  extraEnvVars: texts.optional(),
});

const liveStats = s.object({
  enabled: s.bool().default(true).describe("Whether the master is asked for its numbers while the test runs."),
  intervalSeconds: s.int().min(2).max(300).default(5).describe("How often."),
});

const threshold = s
  .object({
    metric: s.enum(...metrics).describe("What is judged."),
    name: s.string().max(2048).default("Aggregated").describe("The name of the request that is judged."),
    method: s.string().max(64).optional().describe("Its method, where a name has several."),
    max: s.number().optional().describe("Broken above this."),
    min: s.number().optional().describe("Broken below this."),
    abortOnFail: s.bool().default(false).describe("Whether the test is ended as soon as the threshold is broken."),
    holdSeconds: s.int().min(0).default(0).describe("How long it must be broken before that."),
    minRequests: s.int().min(0).default(0).describe("Not judged below this number of requests."),
  })
  .rule({ rule: "has(self.min) || has(self.max)", message: "set min or max" });

const webUI = s.object({
  expose: s.enum("None", "Service").default("None").describe("Whether a Service leads to the web interface."),
  serviceType: s.enum("ClusterIP", "NodePort", "LoadBalancer").default("ClusterIP"),
  annotations: texts.optional().describe("Annotations of that Service."),
  basePath: s.string().max(1024).pattern("^/").optional().describe("Where the interface is found behind a proxy."),
});

const results = s.object({
  store: s.enum("None", "ConfigMap").default("None").describe("Where results are kept that outlive the pods."),
});

/** The spec of a v2 test. */
export const v2Spec = {
  image: s.string().describe("The Locust image."),
  imagePullPolicy: s.enum("Always", "IfNotPresent", "Never").default("IfNotPresent"),
  imagePullSecrets: s.list(s.embedded(localObjectReference)).atomic().optional(),
  master: master.describe("The pod that leads the test."),
  worker: worker.describe("The pods that make the load."),
  testFiles: testFiles.optional().describe("The files of the test, from ConfigMaps."),
  scheduling: scheduling.optional().describe("Which nodes the pods run on."),
  env: env.optional().describe("The environment of the Locust containers."),
  volumes: s.list(s.embedded(volume)).atomic().optional(),
  volumeMounts: s.list(mount).atomic().optional(),
  security: security.optional(),
  observability: s.object({ openTelemetry: openTelemetry.optional() }).optional(),
  liveStats: liveStats.optional().describe("Numbers in the status while the test runs."),
  thresholds: s
    .list(threshold)
    .atomic()
    .max(100)
    .optional()
    .describe("What must be true of the numbers for the test to pass."),
  timeoutSeconds: s.int().min(1).optional().describe("The test is ended this long after its start."),
  ttlSecondsAfterFinished: s
    .int()
    .min(0)
    .optional()
    .describe("How long the Jobs are kept; beats the operator's setting."),
  webUI: webUI.optional(),
  results: results.optional(),
};
