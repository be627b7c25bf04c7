import {
  type ComputeResources,
  type Environment,
  type EnvironmentReader,
  type EnvironmentReading,
  overrideComputeResources,
  readComputeResources,
  readEnvironment,
} from "@homeostat/operator";

/** The settings of the operator, the same for all tests. */
export type Settings = ReturnType<typeof read>;

/** Reads the settings from environment variables. Throws a `ConfigurationError` for values that would make every test fail. */
export function readSettings(env: Environment): EnvironmentReading<Settings> {
  return readEnvironment(env, read);
}

/** Returns the variables whose secret values reach the pods of tests in clear text. */
export function plainSecrets({ kafka }: Settings): string[] {
  if (!kafka.isInjected) return [];
  const hasSecret = kafka.secret.name !== undefined;
  return [
    ...(kafka.password !== "" && !hasSecret ? ["KAFKA_PASSWORD"] : []),
    ...(kafka.saslJaasConfig !== "" && !(hasSecret && kafka.secret.jaasConfigKey !== "")
      ? ["KAFKA_SASL_JAAS_CONFIG"]
      : []),
  ];
}

/** Returns the settings that are logged at start. None of them can be secret. */
export function describeSettings(settings: Settings): Readonly<Record<string, unknown>> {
  return {
    ttlSecondsAfterFinished: settings.jobTtlSeconds,
    metricsExporterImage: settings.exporter.image,
    affinityInjection: settings.affinityInjection,
    tolerationsInjection: settings.tolerationsInjection,
    ...settings.security,
  };
}

function read(env: EnvironmentReader) {
  const pods = readComputeResources(env, "POD", defaultAmounts);
  return {
    /** TTL of finished Jobs; undefined keeps them. */
    jobTtlSeconds: env.integer("JOB_TTL_SECONDS_AFTER_FINISHED", { fallback: undefined, min: 0 }),
    /** Resources of Locust containers whose test sets none. */
    resources: {
      master: overrideComputeResources(pods, readComputeResources(env, "MASTER_POD")),
      worker: overrideComputeResources(pods, readComputeResources(env, "WORKER_POD")),
    },
    exporter: {
      image: env.text("METRICS_EXPORTER_IMAGE", "containersol/locust_exporter:v0.5.0"),
      port: env.integer("METRICS_EXPORTER_PORT", { fallback: 9646, min: 1, max: 65_535 }),
      pullPolicy: env.choice("METRICS_EXPORTER_IMAGE_PULL_POLICY", ["Always", "IfNotPresent", "Never"], "Always"),
      resources: readComputeResources(env, "METRICS_EXPORTER", defaultAmounts),
    },
    /** Environment variables of Locust containers. */
    kafka: {
      bootstrapServers: env.text("KAFKA_BOOTSTRAP_SERVERS", "localhost:9092"),
      securityEnabled: env.boolean("KAFKA_SECURITY_ENABLED", false),
      securityProtocol: env.text("KAFKA_SECURITY_PROTOCOL_CONFIG", "SASL_PLAINTEXT"),
      saslMechanism: env.text("KAFKA_SASL_MECHANISM", "SCRAM-SHA-512"),
      saslJaasConfig: env.text("KAFKA_SASL_JAAS_CONFIG", ""),
      username: env.text("KAFKA_USERNAME", ""),
      password: env.text("KAFKA_PASSWORD", ""),
      /** A Secret in the namespace of each test, instead of the plain values. */
      secret: {
        name: env.subdomain("KAFKA_CREDENTIALS_SECRET"),
        usernameKey: env.secretKey("KAFKA_CREDENTIALS_USERNAME_KEY", "username"),
        passwordKey: env.secretKey("KAFKA_CREDENTIALS_PASSWORD_KEY", "password"),
        /** Without it, KAFKA_SASL_JAAS_CONFIG does not come from the Secret. */
        jaasConfigKey: env.secretKey("KAFKA_CREDENTIALS_JAAS_CONFIG_KEY", ""),
      },
      isInjected:
        env.choice("KAFKA_INJECTION", ["always", "auto"], "always") === "always" ||
        env.text("KAFKA_BOOTSTRAP_SERVERS", "") !== "",
    },
    security: {
      /** If true, tests may use privileged containers, hostPath volumes and other host access. */
      allowHostAccess: env.boolean("ALLOW_HOST_ACCESS", false),
      /** If true, the webhook checks that the user can read the Secrets and ConfigMaps that a test references. */
      checkReferences: env.boolean("CHECK_REFERENCE_ACCESS", true),
      /** If true, pods get the token of their service account. */
      mountServiceAccountToken: env.boolean("MOUNT_SERVICE_ACCOUNT_TOKEN", false),
      /** If true, pods satisfy the Pod Security Standard `restricted` by default. */
      restricted: env.boolean("RESTRICTED_PODS", false),
      /** User ID of restricted pods; undefined to use the user of the image, which must be numeric. */
      restrictedRunAsUser: env.integer("RESTRICTED_PODS_RUN_AS_USER", { fallback: undefined, min: 1 }),
    },
    affinityInjection: env.boolean("ENABLE_AFFINITY_CR_INJECTION", false),
    tolerationsInjection: env.boolean("ENABLE_TAINT_TOLERATIONS_CR_INJECTION", false),
    defaultRuntimeClassName: env.subdomain("DEFAULT_RUNTIME_CLASS_NAME"),
    /** Namespaces to watch; empty means all. */
    watchNamespaces: env.namespaces("WATCH_NAMESPACES"),
    /** Pods younger than this are not reported as failing. */
    podStartupGraceSeconds: env.integer("POD_STARTUP_GRACE_SECONDS", { fallback: 120, min: 0 }),
    maxConcurrentReconciles: env.integer("MAX_CONCURRENT_RECONCILES", { fallback: 4, min: 1, max: 1000 }),
    liveStats: {
      enabled: env.boolean("LIVE_STATS_ENABLED", true),
      access: env.choice("LIVE_STATS_ACCESS", ["podIP", "apiProxy", "off"], "podIP"),
      intervalSeconds: env.integer("LIVE_STATS_INTERVAL_SECONDS", { fallback: 5, min: 2, max: 300 }),
    },
  } as const;
}

export const defaultAmounts: ComputeResources = {
  requests: { cpu: "250m", memory: "128Mi", "ephemeral-storage": "30M" },
  limits: { cpu: "1000m", memory: "1024Mi", "ephemeral-storage": "50M" },
};
