// Every value that files for the Go operator's chart may contain, and its effect in this chart.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { isRecord, type KubeObject, type ResourceType } from "@homeostat/core";
import { helmPath, whyNoHelm } from "@homeostat/kube";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Service, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import { ValidatingWebhookConfiguration } from "@homeostat/kubernetes/admissionregistration/v1";
import { locustOperator, readSettings } from "@homeostat/locust-operator";
import { runOperator } from "@homeostat/operator";

const yaml = createRequire(import.meta.resolve("@homeostat/client"))("yaml") as {
  parseAllDocuments(text: string): readonly { toJSON(): unknown }[];
};
const execute = promisify(execFile);
const skip = (await whyNoHelm()) ?? false;

/** The objects that a chart renders. */
class Rendered {
  readonly objects: readonly Record<string, unknown>[];

  constructor(text: string) {
    this.objects = yaml.parseAllDocuments(text).flatMap((document) => {
      const object = document.toJSON();
      return isRecord(object) ? [object] : [];
    });
  }

  kinds(kind: string): string[] {
    return this.objects.filter((each) => each["kind"] === kind).map(({ metadata }) => (metadata as Named).name);
  }

  one<T extends KubeObject>({ kind }: ResourceType<T>, name?: string): T {
    const found = this.objects.find(
      ({ kind: other, metadata }) => other === kind && (name === undefined || (metadata as Named).name === name),
    );
    assert.ok(found, `${kind} ${name ?? ""}`);
    return found as unknown as T;
  }

  get deployment(): Deployment {
    return this.one(Deployment);
  }

  get container() {
    const [container] = this.deployment.spec.template.spec?.containers ?? [];
    assert.ok(container);
    return container;
  }

  get args(): readonly string[] {
    return this.container.args ?? [];
  }

  env(name: string): string | undefined {
    return this.container.env?.find((each) => each.name === name)?.value;
  }
}

interface Named {
  readonly name: string;
}

/** A chart value and its visible effect. */
interface Row {
  readonly value: string;
  /** The values as in a file. */
  readonly values: object;
  readonly shows: (rendered: Rendered) => unknown;
  readonly expected: unknown;
}

const pod = ({ deployment }: Rendered) => deployment.spec.template.spec;
const rows: readonly Row[] = [
  {
    value: "replicaCount",
    values: { replicaCount: 3 },
    shows: ({ deployment }) => deployment.spec.replicas,
    expected: 3,
  },
  {
    value: "extraEnv",
    values: { extraEnv: [{ name: "LOG_FORMAT", value: "text" }] },
    shows: (chart) => chart.env("LOG_FORMAT"),
    expected: "text",
  },
  {
    value: "image.repository, image.tag",
    values: { image: { repository: "example.com/locust", tag: "1.0" } },
    shows: ({ container }) => container.image,
    expected: "example.com/locust:1.0",
  },
  {
    value: "image.pullPolicy",
    values: { image: { pullPolicy: "IfNotPresent" } },
    shows: ({ container }) => container.imagePullPolicy,
    expected: "IfNotPresent",
  },
  {
    value: "image.pullSecrets",
    values: { image: { pullSecrets: ["registry"] } },
    shows: (chart) => pod(chart)?.imagePullSecrets,
    expected: [{ name: "registry" }],
  },
  {
    value: "fullnameOverride",
    values: { fullnameOverride: "load" },
    shows: ({ deployment }) => deployment.metadata.name,
    expected: "load",
  },
  {
    value: "nameOverride",
    values: { nameOverride: "load", fullnameOverride: "" },
    shows: ({ deployment }) => deployment.metadata.name,
    expected: "load",
  },
  {
    value: "resources",
    values: { resources: { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: "10m", memory: "64Mi" } } },
    shows: ({ container }) => container.resources,
    expected: { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: "10m", memory: "64Mi" } },
  },
  {
    value: "terminationGracePeriodSeconds",
    values: { terminationGracePeriodSeconds: 10 },
    shows: (chart) => pod(chart)?.terminationGracePeriodSeconds,
    expected: 10,
  },
  {
    value: "leaderElection.enabled",
    values: { leaderElection: { enabled: false }, replicaCount: 1 },
    shows: ({ args }) => args.filter((word) => word.startsWith("--leader-elect")),
    expected: ["--leader-elect=false"],
  },
  {
    value: "podDisruptionBudget.enabled",
    values: { podDisruptionBudget: { enabled: false } },
    shows: (chart) => chart.kinds("PodDisruptionBudget"),
    expected: [],
  },
  {
    value: "podDisruptionBudget.maxUnavailable",
    values: { podDisruptionBudget: { maxUnavailable: 2 } },
    shows: (chart) => chart.one(PodDisruptionBudget).spec?.maxUnavailable,
    expected: 2,
  },
  {
    value: "metrics.enabled (off by default)",
    values: {},
    shows: (chart) => [
      chart.args.filter((word) => word.startsWith("--metrics")),
      chart.kinds("Service").filter((name) => name.endsWith("-metrics")),
    ],
    expected: [["--metrics-bind-address=0"], []],
  },
  {
    value: "metrics.enabled, metrics.port",
    values: { metrics: { enabled: true, port: 9090 } },
    shows: (chart) => [
      chart.args.filter((word) => word.startsWith("--metrics")),
      chart.container.ports?.find(({ name }) => name === "metrics")?.containerPort,
      chart.one(Service, "locust-k8s-operator-metrics").spec?.ports?.[0]?.port,
    ],
    expected: [["--metrics-bind-address=:9090", "--metrics-secure=false"], 9090, 9090],
  },
  {
    value: "metrics.secure",
    values: { metrics: { enabled: true, port: 8443, secure: true } },
    shows: (chart) => [
      chart.args.filter((word) => word.startsWith("--metrics")),
      chart.kinds("ClusterRole").filter((name) => name.includes("metrics")),
    ],
    expected: [
      ["--metrics-bind-address=:8443", "--metrics-secure=true"],
      ["locust-k8s-operator-metrics-auth", "locust-k8s-operator-metrics-reader"],
    ],
  },
  {
    value: "webhook.enabled",
    values: { webhook: { enabled: false } },
    shows: (chart) => [chart.kinds("ValidatingWebhookConfiguration"), chart.args.includes("--no-webhooks")],
    expected: [[], true],
  },
  {
    value: "webhook.timeoutSeconds (default 10)",
    values: {},
    shows: (chart) => chart.one(ValidatingWebhookConfiguration).webhooks?.[0]?.timeoutSeconds,
    expected: 10,
  },
  {
    value: "webhook.port",
    values: { webhook: { port: 9444 } },
    shows: (chart) => [
      chart.args.includes("--webhook-port=9444"),
      chart.container.ports?.find(({ name }) => name === "webhook")?.containerPort,
    ],
    expected: [true, 9444],
  },
  {
    value: "webhook.certManager.enabled, true",
    values: { webhook: { enabled: true, certManager: { enabled: true } } },
    shows: (chart) => [chart.kinds("Certificate").length, pod(chart)?.volumes?.map(({ name }) => name)],
    expected: [1, ["webhook-certificates"]],
  },
  {
    value: "webhook.certManager.enabled, false",
    values: { webhook: { enabled: true, certManager: { enabled: false } } },
    shows: (chart) => [chart.kinds("Certificate").length, pod(chart)?.volumes],
    expected: [0, undefined],
  },
  {
    value: "k8s.clusterRole.enabled",
    values: { k8s: { clusterRole: { enabled: false } }, webhook: { enabled: false } },
    shows: (chart) => [
      chart.kinds("ClusterRole"),
      chart.kinds("Role").includes("locust-k8s-operator"),
      chart.args.filter((word) => word.startsWith("--watch-namespaces")),
    ],
    expected: [[], true, ["--watch-namespaces=load"]],
  },
  {
    value: "serviceAccount.create, serviceAccount.name",
    values: { serviceAccount: { create: false, name: "robot" } },
    shows: (chart) => [chart.kinds("ServiceAccount"), pod(chart)?.serviceAccountName],
    expected: [[], "robot"],
  },
  {
    value: "serviceAccount.annotations",
    values: { serviceAccount: { annotations: { a: "b" } } },
    shows: (chart) => chart.one(ServiceAccount).metadata.annotations,
    expected: { a: "b" },
  },
  {
    value: "podAnnotations",
    values: { podAnnotations: { a: "b" } },
    shows: ({ deployment }) => deployment.spec.template.metadata?.annotations,
    expected: { a: "b" },
  },
  {
    value: "podSecurityContext",
    values: { podSecurityContext: { runAsUser: 65_532 } },
    shows: (chart) => pod(chart)?.securityContext,
    expected: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: "RuntimeDefault" } },
  },
  {
    value: "containerSecurityContext",
    values: { containerSecurityContext: { privileged: false } },
    shows: ({ container }) => [
      container.securityContext?.privileged,
      container.securityContext?.readOnlyRootFilesystem,
    ],
    expected: [false, true],
  },
  {
    value: "nodeSelector, tolerations, affinity, runtimeClassName",
    values: {
      nodeSelector: { a: "b" },
      tolerations: [{ operator: "Exists" }],
      affinity: { nodeAffinity: {} },
      runtimeClassName: "gvisor",
    },
    shows: (chart) => {
      const { nodeSelector, tolerations, affinity, runtimeClassName } = pod(chart) ?? {};
      return { nodeSelector, tolerations, affinity, runtimeClassName };
    },
    expected: {
      nodeSelector: { a: "b" },
      tolerations: [{ operator: "Exists" }],
      affinity: { nodeAffinity: {} },
      runtimeClassName: "gvisor",
    },
  },
  ...(["resources", "masterResources", "workerResources"] as const).flatMap((group) => {
    const prefix = { resources: "POD", masterResources: "MASTER_POD", workerResources: "WORKER_POD" }[group];
    const amounts = { cpu: "1", memory: "2Gi", ephemeralStorage: "3Gi" };
    return (["requests", "limits"] as const).map((kind): Row => {
      const word = kind === "requests" ? "REQUEST" : "LIMIT";
      return {
        value: `locustPods.${group}.${kind}`,
        values: { locustPods: { [group]: { [kind]: amounts } } },
        shows: (chart) => ["CPU", "MEM", "EPHEMERAL"].map((what) => chart.env(`${prefix}_${what}_${word}`)),
        expected: ["1", "2Gi", "3Gi"],
      };
    });
  }),
  {
    value: "locustPods.affinityInjection, .tolerationsInjection, .runtimeClassName, .ttlSecondsAfterFinished",
    values: {
      locustPods: {
        affinityInjection: false,
        tolerationsInjection: false,
        runtimeClassName: "gvisor",
        ttlSecondsAfterFinished: 0,
      },
    },
    shows: (chart) =>
      [
        "ENABLE_AFFINITY_CR_INJECTION",
        "ENABLE_TAINT_TOLERATIONS_CR_INJECTION",
        "DEFAULT_RUNTIME_CLASS_NAME",
        "JOB_TTL_SECONDS_AFTER_FINISHED",
      ].map((name) => chart.env(name)),
    expected: ["false", "false", "gvisor", "0"],
  },
  {
    value: "locustPods.metricsExporter",
    values: {
      locustPods: {
        metricsExporter: {
          image: "example.com/exporter:1",
          port: 1234,
          pullPolicy: "Never",
          resources: { requests: { cpu: "1m" }, limits: { memory: "1Gi" } },
        },
      },
    },
    shows: (chart) =>
      ["IMAGE", "PORT", "IMAGE_PULL_POLICY", "CPU_REQUEST", "MEM_LIMIT"].map((name) =>
        chart.env(`METRICS_EXPORTER_${name}`),
      ),
    expected: ["example.com/exporter:1", "1234", "Never", "1m", "1Gi"],
  },
  {
    value: "kafka.enabled (off by default)",
    values: { kafka: { bootstrapServers: "kafka:9092" } },
    shows: (chart) => chart.env("KAFKA_BOOTSTRAP_SERVERS"),
    expected: undefined,
  },
  {
    value: "kafka",
    values: {
      kafka: {
        enabled: true,
        bootstrapServers: "kafka:9092",
        security: { enabled: true, protocol: "SASL_SSL", saslMechanism: "PLAIN", jaasConfig: "x" },
        credentials: { secretName: "kafka", usernameKey: "u", passwordKey: "p" },
      },
    },
    shows: (chart) => [
      ...[
        "BOOTSTRAP_SERVERS",
        "SECURITY_ENABLED",
        "SECURITY_PROTOCOL_CONFIG",
        "SASL_MECHANISM",
        "SASL_JAAS_CONFIG",
      ].map((name) => chart.env(`KAFKA_${name}`)),
      ...["KAFKA_USERNAME", "KAFKA_PASSWORD"].map(
        (name) => chart.container.env?.find((each) => each.name === name)?.valueFrom?.secretKeyRef,
      ),
    ],
    expected: [
      "kafka:9092",
      "true",
      "SASL_SSL",
      "PLAIN",
      "x",
      { name: "kafka", key: "u" },
      { name: "kafka", key: "p" },
    ],
  },
  {
    value: "kafka.testCredentials",
    values: {
      kafka: {
        enabled: true,
        testCredentials: { secretName: "kafka", usernameKey: "u", passwordKey: "p", jaasConfigKey: "j" },
      },
    },
    shows: (chart) => [
      ...["SECRET", "USERNAME_KEY", "PASSWORD_KEY", "JAAS_CONFIG_KEY"].map((name) =>
        chart.env(`KAFKA_CREDENTIALS_${name}`),
      ),
      chart.env("KAFKA_PASSWORD"),
    ],
    expected: ["kafka", "u", "p", "j", undefined],
  },
  {
    value: "locustPods.allowHostAccess, .mountServiceAccountToken, .restricted, .restrictedRunAsUser",
    values: {
      locustPods: {
        allowHostAccess: true,
        mountServiceAccountToken: true,
        restricted: true,
        restrictedRunAsUser: 1000,
      },
    },
    shows: (chart) =>
      ["ALLOW_HOST_ACCESS", "MOUNT_SERVICE_ACCOUNT_TOKEN", "RESTRICTED_PODS", "RESTRICTED_PODS_RUN_AS_USER"].map(
        (name) => chart.env(name),
      ),
    expected: ["true", "true", "true", "1000"],
  },
  ...[
    { values: {}, expected: [true, "true"] },
    { values: { locustPods: { checkReferenceAccess: false } }, expected: [false, "false"] },
    { values: { webhook: { enabled: false } }, expected: [false, "true"] },
  ].map(({ values, expected }): Row => ({
    value: `locustPods.checkReferenceAccess with ${JSON.stringify(values)}`,
    values,
    shows: (chart) => [
      chart.kinds("ClusterRole").includes("locust-k8s-operator-webhooks"),
      chart.env("CHECK_REFERENCE_ACCESS"),
    ],
    expected,
  })),
  {
    value: "config.loadGenerationPods and config.loadGenerationJobs, of the first chart",
    values: {
      kafka: { enabled: true },
      config: {
        loadGenerationJobs: { ttlSecondsAfterFinished: 60 },
        loadGenerationPods: {
          resource: { cpuRequest: "2", memLimit: "3Gi" },
          affinity: { enableCrInjection: false },
          taintTolerations: { enableCrInjection: false },
          metricsExporter: { image: "example.com/exporter:2", port: 99 },
          kafka: { bootstrapServers: "old:9092" },
        },
      },
    },
    shows: (chart) =>
      [
        "JOB_TTL_SECONDS_AFTER_FINISHED",
        "POD_CPU_REQUEST",
        "POD_MEM_LIMIT",
        "ENABLE_AFFINITY_CR_INJECTION",
        "ENABLE_TAINT_TOLERATIONS_CR_INJECTION",
        "METRICS_EXPORTER_IMAGE",
        "METRICS_EXPORTER_PORT",
        "KAFKA_BOOTSTRAP_SERVERS",
      ].map((name) => chart.env(name)),
    expected: ["60", "2", "3Gi", "false", "false", "example.com/exporter:2", "99", "old:9092"],
  },
  {
    value: "otelCollector, off",
    values: { otelCollector: { enabled: false, replicas: 1 } },
    shows: (chart) => chart.kinds("Deployment"),
    expected: ["locust-k8s-operator"],
  },
];

describe("values of the Go operator's chart", { skip }, () => {
  let helm = "";
  let folder = "";
  before(async () => {
    helm = await helmPath({ env: process.env, report: (line) => process.stderr.write(`kube: ${line}\n`) });
    folder = await mkdtemp(join(tmpdir(), "chart-values-"));
    const operator = locustOperator(readSettings({}));
    assert.equal(await runOperator(operator, { argv: ["chart", join(folder, "chart")], env: {} }), 0);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const render = async (values: object): Promise<Rendered> => {
    const file = join(folder, "values.json");
    await writeFile(file, JSON.stringify(values));
    const { stdout } = await execute(helm, [
      "template",
      "release",
      join(folder, "chart"),
      "--namespace",
      "load",
      "--values",
      file,
    ]);
    return new Rendered(stdout);
  };

  for (const { value, values, shows, expected } of rows) {
    it(value, async () => {
      assert.deepEqual(shows(await render(values)), expected);
    });
  }

  it("are rejected with an explanation when unsupported", async () => {
    await assert.rejects(render({ otelCollector: { enabled: true } }), /this chart does not install a collector/);
    await assert.rejects(render({ leaderElection: { enabled: false } }), /Set replicas to 1/);
    await assert.rejects(render({ replicaCont: 2 }), /additional properties 'replicaCont' not allowed/);
  });

  it("pass helm lint --strict", async () => {
    const { stdout } = await execute(helm, ["lint", join(folder, "chart"), "--strict"]);

    assert.match(stdout, /1 chart\(s\) linted, 0 chart\(s\) failed/);
  });
});
