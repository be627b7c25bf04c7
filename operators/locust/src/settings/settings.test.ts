import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConfigurationError } from "homeostat";
import { describeSettings, plainSecrets, readSettings } from "./settings.ts";

const usual = {
  requests: { cpu: "250m", memory: "128Mi", "ephemeral-storage": "30M" },
  limits: { cpu: "1000m", memory: "1024Mi", "ephemeral-storage": "50M" },
};

/** Returns the names of the rejected variables; empty if the settings are valid. */
function refusedIn(env: Record<string, string>): string[] {
  try {
    readSettings(env);
  } catch (error) {
    assert.ok(error instanceof ConfigurationError);
    return error.problems.map(({ variable }) => variable);
  }
  return [];
}

describe("readSettings", () => {
  it("returns the defaults for an empty environment", () => {
    const { settings, warnings } = readSettings({});

    assert.deepEqual(warnings, []);
    assert.deepEqual(settings, {
      jobTtlSeconds: undefined,
      resources: { master: usual, worker: usual },
      exporter: {
        image: "containersol/locust_exporter:v0.5.0",
        port: 9646,
        pullPolicy: "Always",
        resources: usual,
      },
      kafka: {
        bootstrapServers: "localhost:9092",
        securityEnabled: false,
        securityProtocol: "SASL_PLAINTEXT",
        saslMechanism: "SCRAM-SHA-512",
        saslJaasConfig: "",
        username: "",
        password: "",
        secret: { name: undefined, usernameKey: "username", passwordKey: "password", jaasConfigKey: "" },
        isInjected: true,
      },
      security: {
        allowHostAccess: false,
        checkReferences: true,
        mountServiceAccountToken: false,
        restricted: false,
        restrictedRunAsUser: undefined,
      },
      affinityInjection: false,
      tolerationsInjection: false,
      defaultRuntimeClassName: undefined,
      watchNamespaces: [],
      podStartupGraceSeconds: 120,
      maxConcurrentReconciles: 4,
      liveStats: { enabled: true, access: "podIP", intervalSeconds: 5 },
    });
  });

  it("reads every variable", () => {
    const { settings, warnings } = readSettings({
      JOB_TTL_SECONDS_AFTER_FINISHED: "0",
      POD_CPU_REQUEST: "1",
      MASTER_POD_CPU_REQUEST: "2",
      WORKER_POD_EPHEMERAL_LIMIT: "9G",
      METRICS_EXPORTER_IMAGE: "exporter:1",
      METRICS_EXPORTER_PORT: "9000",
      METRICS_EXPORTER_IMAGE_PULL_POLICY: "Never",
      METRICS_EXPORTER_MEM_LIMIT: "1Gi",
      KAFKA_BOOTSTRAP_SERVERS: "kafka:9092",
      KAFKA_SECURITY_ENABLED: "T",
      KAFKA_SECURITY_PROTOCOL_CONFIG: "SSL",
      KAFKA_SASL_MECHANISM: "PLAIN",
      KAFKA_SASL_JAAS_CONFIG: "jaas",
      KAFKA_USERNAME: "me",
      KAFKA_PASSWORD: "secret",
      KAFKA_INJECTION: "auto",
      KAFKA_CREDENTIALS_SECRET: "kafka.team",
      KAFKA_CREDENTIALS_USERNAME_KEY: "user",
      KAFKA_CREDENTIALS_PASSWORD_KEY: "pass.word",
      KAFKA_CREDENTIALS_JAAS_CONFIG_KEY: "jaas_config",
      ALLOW_HOST_ACCESS: "true",
      CHECK_REFERENCE_ACCESS: "false",
      MOUNT_SERVICE_ACCOUNT_TOKEN: "true",
      RESTRICTED_PODS: "true",
      RESTRICTED_PODS_RUN_AS_USER: "1000",
      ENABLE_AFFINITY_CR_INJECTION: "1",
      ENABLE_TAINT_TOLERATIONS_CR_INJECTION: "TRUE",
      DEFAULT_RUNTIME_CLASS_NAME: "gvisor",
      WATCH_NAMESPACES: "a, b,,a",
      POD_STARTUP_GRACE_SECONDS: "5",
      MAX_CONCURRENT_RECONCILES: "8",
      LIVE_STATS_ENABLED: "f",
      LIVE_STATS_ACCESS: "apiProxy",
      LIVE_STATS_INTERVAL_SECONDS: "10",
    });

    assert.deepEqual(warnings, []);
    assert.equal(settings.jobTtlSeconds, 0);
    assert.deepEqual(settings.resources.master.requests, { ...usual.requests, cpu: "2" });
    assert.deepEqual(settings.resources.worker.requests, { ...usual.requests, cpu: "1" });
    assert.equal(settings.resources.worker.limits["ephemeral-storage"], "9G");
    assert.deepEqual(settings.exporter, {
      image: "exporter:1",
      port: 9000,
      pullPolicy: "Never",
      resources: { ...usual, limits: { ...usual.limits, memory: "1Gi" } },
    });
    assert.deepEqual(settings.kafka, {
      bootstrapServers: "kafka:9092",
      securityEnabled: true,
      securityProtocol: "SSL",
      saslMechanism: "PLAIN",
      saslJaasConfig: "jaas",
      username: "me",
      password: "secret",
      secret: { name: "kafka.team", usernameKey: "user", passwordKey: "pass.word", jaasConfigKey: "jaas_config" },
      isInjected: true,
    });
    assert.deepEqual(settings.security, {
      allowHostAccess: true,
      checkReferences: false,
      mountServiceAccountToken: true,
      restricted: true,
      restrictedRunAsUser: 1000,
    });
    assert.deepEqual([settings.affinityInjection, settings.tolerationsInjection], [true, true]);
    assert.deepEqual([settings.defaultRuntimeClassName, settings.watchNamespaces], ["gvisor", ["a", "b"]]);
    assert.deepEqual([settings.podStartupGraceSeconds, settings.maxConcurrentReconciles], [5, 8]);
    assert.deepEqual(settings.liveStats, { enabled: false, access: "apiProxy", intervalSeconds: 10 });
  });

  it("warns about invalid booleans, numbers and choices with name, value and default", () => {
    const env = {
      ENABLE_AFFINITY_CR_INJECTION: "yes",
      LIVE_STATS_ENABLED: "tRue",
      JOB_TTL_SECONDS_AFTER_FINISHED: "soon",
      METRICS_EXPORTER_PORT: "70000",
      POD_STARTUP_GRACE_SECONDS: "-1",
      MAX_CONCURRENT_RECONCILES: "1.5",
      KAFKA_INJECTION: "never",
      LIVE_STATS_ACCESS: "__proto__",
    };

    const { settings, warnings } = readSettings(env);

    assert.deepEqual(settings, readSettings({}).settings);
    assert.deepEqual(new Set(warnings.map(({ variable }) => variable)), new Set(Object.keys(env)));
    assert.deepEqual(
      warnings.find(({ variable }) => variable === "ENABLE_AFFINITY_CR_INJECTION"),
      {
        variable: "ENABLE_AFFINITY_CR_INJECTION",
        value: "yes",
        used: "false",
        message: 'ENABLE_AFFINITY_CR_INJECTION is "yes", but it must be true or false. The default is used: false',
      },
    );
    assert.equal(warnings.find(({ variable }) => variable === "JOB_TTL_SECONDS_AFTER_FINISHED")?.used, "unset");
  });

  it("rejects invalid quantities and names, all in one error", () => {
    const env = {
      POD_CPU_REQUEST: "lots",
      POD_MEM_LIMIT: "128MB",
      MASTER_POD_CPU_LIMIT: "-1",
      WORKER_POD_EPHEMERAL_REQUEST: "1 Gi",
      METRICS_EXPORTER_MEM_REQUEST: "\u0000",
      DEFAULT_RUNTIME_CLASS_NAME: "My_Class",
      WATCH_NAMESPACES: "good,Not Good",
      KAFKA_CREDENTIALS_SECRET: "Kafka_Secret",
      KAFKA_CREDENTIALS_USERNAME_KEY: "..",
      KAFKA_CREDENTIALS_PASSWORD_KEY: "a/b",
      KAFKA_CREDENTIALS_JAAS_CONFIG_KEY: "k".repeat(254),
    };

    assert.deepEqual(new Set(refusedIn(env)), new Set(Object.keys(env)));
    assert.throws(
      () => readSettings(env),
      /^ConfigurationError: invalid operator configuration: resource validation failed: POD_CPU_REQUEST: "lots" is not a quantity/,
    );
  });

  it("reads an empty quantity as none and any other empty variable as unset", () => {
    const { settings, warnings } = readSettings({
      POD_CPU_LIMIT: "",
      MASTER_POD_MEM_LIMIT: "",
      METRICS_EXPORTER_CPU_REQUEST: "",
      METRICS_EXPORTER_PORT: "",
      KAFKA_BOOTSTRAP_SERVERS: "",
      ENABLE_AFFINITY_CR_INJECTION: "",
      DEFAULT_RUNTIME_CLASS_NAME: "",
    });

    assert.deepEqual(warnings, []);
    assert.deepEqual(settings.resources.worker.limits, { memory: "1024Mi", "ephemeral-storage": "50M" });
    assert.equal(settings.resources.master.limits.memory, "1024Mi", "the common value holds");
    assert.deepEqual(Object.keys(settings.exporter.resources.requests), ["memory", "ephemeral-storage"]);
    assert.deepEqual([settings.exporter.port, settings.kafka.bootstrapServers], [9646, "localhost:9092"]);
  });

  it("disables Kafka injection with auto unless bootstrap servers are set", () => {
    assert.equal(readSettings({ KAFKA_INJECTION: "auto" }).settings.kafka.isInjected, false);
    assert.equal(
      readSettings({ KAFKA_INJECTION: "auto", KAFKA_BOOTSTRAP_SERVERS: "k:1" }).settings.kafka.isInjected,
      true,
    );
  });

  it("shows no secret in logs or errors", () => {
    const env = { KAFKA_PASSWORD: "hunter2", KAFKA_SASL_JAAS_CONFIG: "hunter2", KAFKA_USERNAME: "hunter2" };

    const { settings, warnings } = readSettings({ ...env, KAFKA_SECURITY_ENABLED: "perhaps" });

    assert.doesNotMatch(JSON.stringify([describeSettings(settings), warnings]), /hunter2/);
    assert.throws(
      () => readSettings({ ...env, POD_CPU_LIMIT: "?" }),
      (error) => error instanceof ConfigurationError && !`${error.message}${error.stack}`.includes("hunter2"),
    );
    assert.deepEqual(Object.keys(describeSettings(settings)), [
      "ttlSecondsAfterFinished",
      "metricsExporterImage",
      "affinityInjection",
      "tolerationsInjection",
      "allowHostAccess",
      "checkReferences",
      "mountServiceAccountToken",
      "restricted",
      "restrictedRunAsUser",
    ]);
  });

  it("returns the variables whose secret values appear in clear text in pods", () => {
    const env = { KAFKA_PASSWORD: "hunter2", KAFKA_SASL_JAAS_CONFIG: "hunter2" };
    const named = (more: Record<string, string>): string[] => plainSecrets(readSettings({ ...env, ...more }).settings);

    assert.deepEqual(plainSecrets(readSettings({ KAFKA_USERNAME: "me" }).settings), []);
    assert.deepEqual(named({}), ["KAFKA_PASSWORD", "KAFKA_SASL_JAAS_CONFIG"]);
    assert.deepEqual(named({ KAFKA_INJECTION: "auto" }), []);
    assert.deepEqual(named({ KAFKA_CREDENTIALS_SECRET: "kafka" }), ["KAFKA_SASL_JAAS_CONFIG"]);
    assert.deepEqual(named({ KAFKA_CREDENTIALS_SECRET: "k", KAFKA_CREDENTIALS_JAAS_CONFIG_KEY: "jaas" }), []);
    assert.deepEqual(named({ KAFKA_CREDENTIALS_JAAS_CONFIG_KEY: "jaas" }), [
      "KAFKA_PASSWORD",
      "KAFKA_SASL_JAAS_CONFIG",
    ]);
  });
});
