import { LocustTest, type LocustTestInput } from "../api/locust-test.ts";
import { readSettings } from "../settings/settings.ts";
import type { BuildInput } from "../build/objects.ts";
// The tests of the golden files, with the operator's settings for each.

type Spec = LocustTestInput["spec"];

/** Returns the build input for a test with these fields and the defaults of the schema. */
export function planFor(
  spec: Partial<Spec> = {},
  { name = "shop", env = {}, run = 1 }: { name?: string; env?: Record<string, string>; run?: number } = {},
): BuildInput {
  const test = LocustTest.parse({
    apiVersion: "locust.io/v2",
    kind: "LocustTest",
    metadata: { name, namespace: "perf", uid: "5b0a" },
    spec: {
      image: "locustio/locust:2.46.3",
      master: { command: "-f shop.py -t 2m" },
      worker: { command: "-f shop.py", replicas: 2 },
      ...spec,
    },
  });
  return { test, settings: readSettings(env).settings, run };
}

const master = { command: "-f shop.py -t 2m" };
const worker = { command: "-f shop.py", replicas: 2 };

/** The example of the documentation. */
export const example: BuildInput = planFor(
  {
    image: "locustio/locust:2.46.3",
    master: {
      command: "--locustfile /lotest/src/shop.py --host http://shop --users 50 --spawn-rate 5 --run-time 2m",
      extraArgs: ["--loglevel", "DEBUG"],
    },
    worker: { command: "--locustfile /lotest/src/shop.py", replicas: 3 },
    testFiles: { configMapRef: "shop-test" },
  },
  { name: "shop.smoke", env: { JOB_TTL_SECONDS_AFTER_FINISHED: "3600" } },
);

const full: Partial<Spec> = {
  imagePullPolicy: "Always",
  imagePullSecrets: [{ name: "pull" }],
  master: {
    ...master,
    resources: { limits: { cpu: "2", memory: "2Gi" }, requests: { cpu: 1 } },
    labels: { team: "a" },
    annotations: { note: "m", "prometheus.io/port": "1" },
    autoquit: { enabled: true, timeout: 30 },
    extraArgs: ["--loglevel", "a b"],
  },
  worker: {
    ...worker,
    replicas: 500,
    labels: { app: "mine", "performance-test-name": "mine", "managed-by": "me", "performance-test-pod-name": "me" },
    annotations: { note: "w" },
    extraArgs: ["--tags", "x"],
    backoffLimit: 3,
    ignoreDisruptions: true,
    connectTimeoutSeconds: 60,
  },
  testFiles: { configMapRef: "src", libConfigMapRef: "lib", srcMountPath: "/src", libMountPath: "/lib" },
  scheduling: {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] }],
        },
      },
    },
    tolerations: [{ key: "load", operator: "Exists", effect: "NoSchedule", tolerationSeconds: 5 }],
    nodeSelector: { pool: "load" },
    runtimeClassName: "gvisor",
  },
  env: {
    configMapRefs: [{ name: "settings", prefix: "S_" }, { name: "more" }],
    secretRefs: [{ name: "keys", prefix: "" }],
    variables: [
      { name: "KAFKA_USERNAME", value: "mine" },
      { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    ],
    secretMounts: [
      { name: "tls", mountPath: "/tls" },
      { name: "tls", mountPath: "/tls2", readOnly: false },
    ],
  },
  volumes: [
    { name: "data", emptyDir: {} },
    { name: "unused", emptyDir: {} },
  ],
  volumeMounts: [{ name: "data", mountPath: "/data", subPath: "x" }],
  security: {
    podSecurityContext: { runAsUser: 1000 },
    containerSecurityContext: { allowPrivilegeEscalation: false },
  },
  thresholds: [{ metric: "failRatio", max: 0.01 }],
  timeoutSeconds: 600,
  ttlSecondsAfterFinished: 60,
  webUI: { expose: "Service", serviceType: "NodePort", annotations: { a: "b" }, basePath: "/locust" },
  results: { store: "ConfigMap" },
};

const injection = { ENABLE_AFFINITY_CR_INJECTION: "true", ENABLE_TAINT_TOLERATIONS_CR_INJECTION: "true" };

/** Build inputs by the name of their golden file. */
export const cases: Readonly<Record<string, BuildInput>> = {
  example,
  minimal: planFor(),
  full: planFor(full, { env: { ...injection, JOB_TTL_SECONDS_AFTER_FINISHED: "3600" }, run: 2 }),
  "full-flags-off": planFor(full),
  otel: planFor({
    observability: {
      openTelemetry: {
        enabled: true,
        endpoint: "http://collector:4317",
        insecure: true,
        extraEnvVars: { OTEL_SERVICE_NAME: "shop", A: "1" },
      },
    },
  }),
  headless: planFor({ master: { command: "-f shop.py --headless -t 2m" } }),
  "autostart-false": planFor({ master: { ...master, autostart: false } }),
  "autoquit-0": planFor({ master: { ...master, autoquit: { timeout: 0 } } }),
  "role-resources": planFor(
    {},
    { env: { MASTER_POD_CPU_REQUEST: "2", WORKER_POD_MEM_LIMIT: "4Gi", POD_CPU_LIMIT: "", POD_EPHEMERAL_LIMIT: "" } },
  ),
  "own-resources": planFor({ master: { ...master, resources: { limits: { memory: "1Gi" } } } }),
  restricted: planFor({}, { env: { RESTRICTED_PODS: "true", RESTRICTED_PODS_RUN_AS_USER: "1000" } }),
  "kafka-secret": planFor(
    {},
    {
      env: {
        KAFKA_CREDENTIALS_SECRET: "kafka",
        KAFKA_CREDENTIALS_PASSWORD_KEY: "pass",
        KAFKA_CREDENTIALS_JAAS_CONFIG_KEY: "jaas",
        KAFKA_USERNAME: "not-used",
        KAFKA_PASSWORD: "not-used",
        KAFKA_SASL_JAAS_CONFIG: "not-used",
      },
    },
  ),
  "service-account-token": planFor({}, { env: { MOUNT_SERVICE_ACCOUNT_TOKEN: "true" } }),
  "dotted-name": planFor({ testFiles: { configMapRef: "src" } }, { name: "team-a.load-test" }),
  targets: planFor({
    volumes: [
      { name: "m", emptyDir: {} },
      { name: "w", emptyDir: {} },
      { name: "b", emptyDir: {} },
    ],
    volumeMounts: [
      { name: "m", mountPath: "/m", target: "master" },
      { name: "w", mountPath: "/w", target: "worker", readOnly: true },
      { name: "b", mountPath: "/b", target: "both" },
      { name: "b", mountPath: "/again" },
    ],
  }),
  "dotted-secret": planFor({
    env: {
      secretMounts: [
        { name: "a.b", mountPath: "/1" },
        { name: "a-b", mountPath: "/2" },
        { name: `${"long.".repeat(13)}end`, mountPath: "/3" },
        { name: "c.d", mountPath: "/4" },
      ],
    },
  }),
  "another-web-port": planFor({
    master: { ...master, extraArgs: ["--web-port=9000", "--tls-cert", "/c", "--tls-key", "/k"] },
    webUI: { expose: "Service", basePath: "/locust" },
  }),
};
