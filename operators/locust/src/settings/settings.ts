import { ConfigurationError, type Environment, type SettingWarning, Variables } from "./variables.ts";

/** Compute resources of a container; absent means no request or limit. */
export interface Amounts {
  readonly cpu?: string;
  readonly memory?: string;
  readonly "ephemeral-storage"?: string;
}

export interface ResourceDefaults {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/** The settings of the operator, the same for all tests. */
export type Settings = ReturnType<typeof read>;

export interface SettingsReading {
  readonly settings: Settings;
  /** Values that could not be used; their defaults apply. */
  readonly warnings: readonly SettingWarning[];
}

/**
 * Reads the settings from environment variables.
 *
 * A boolean, number or choice that cannot be parsed gives a warning and its default. Quantities and names that would make
 * every test fail are refused: throws a `ConfigurationError` that lists all of them.
 */
export function readSettings(env: Environment): SettingsReading {
  const variables = new Variables(env);
  const settings = read(variables);
  if (variables.problems.length > 0) throw new ConfigurationError(variables.problems);
  return { settings, warnings: variables.warnings };
}

/** Returns the settings that are logged at start. None of them can be secret. */
export function describeSettings(settings: Settings): Readonly<Record<string, unknown>> {
  return {
    ttlSecondsAfterFinished: settings.jobTtlSeconds,
    metricsExporterImage: settings.exporter.image,
    affinityInjection: settings.affinityInjection,
    tolerationsInjection: settings.tolerationsInjection,
  };
}

function read(env: Variables) {
  const pods = readResources(env, "POD", defaultAmounts);
  return {
    /** TTL of finished Jobs; undefined keeps them. */
    jobTtlSeconds: env.integer("JOB_TTL_SECONDS_AFTER_FINISHED", { fallback: undefined, min: 0 }),
    /** Resources of Locust containers whose test sets none. */
    resources: {
      master: override(pods, readResources(env, "MASTER_POD")),
      worker: override(pods, readResources(env, "WORKER_POD")),
    },
    exporter: {
      image: env.text("METRICS_EXPORTER_IMAGE", "containersol/locust_exporter:v0.5.0"),
      port: env.integer("METRICS_EXPORTER_PORT", { fallback: 9646, min: 1, max: 65_535 }),
      pullPolicy: env.choice("METRICS_EXPORTER_IMAGE_PULL_POLICY", ["Always", "IfNotPresent", "Never"], "Always"),
      resources: readResources(env, "METRICS_EXPORTER", defaultAmounts),
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
      isInjected:
        env.choice("KAFKA_INJECTION", ["always", "auto"], "always") === "always" ||
        env.text("KAFKA_BOOTSTRAP_SERVERS", "") !== "",
    },
    affinityInjection: env.boolean("ENABLE_AFFINITY_CR_INJECTION", false),
    tolerationsInjection: env.boolean("ENABLE_TAINT_TOLERATIONS_CR_INJECTION", false),
    defaultRuntimeClassName: env.subdomain("DEFAULT_RUNTIME_CLASS_NAME"),
    /** Namespaces to watch; empty means all. */
    watchNamespaces: env.labels("WATCH_NAMESPACES"),
    /** A pod younger than this is never reported as failing. */
    podStartupGraceSeconds: env.integer("POD_STARTUP_GRACE_SECONDS", { fallback: 120, min: 0 }),
    maxConcurrentReconciles: env.integer("MAX_CONCURRENT_RECONCILES", { fallback: 4, min: 1, max: 1000 }),
    liveStats: {
      enabled: env.boolean("LIVE_STATS_ENABLED", true),
      access: env.choice("LIVE_STATS_ACCESS", ["podIP", "apiProxy", "off"], "podIP"),
      intervalSeconds: env.integer("LIVE_STATS_INTERVAL_SECONDS", { fallback: 5, min: 2, max: 300 }),
    },
  } as const;
}

const names = { cpu: "CPU", memory: "MEM", "ephemeral-storage": "EPHEMERAL" } as const;

export const defaultAmounts: ResourceDefaults = {
  requests: { cpu: "250m", memory: "128Mi", "ephemeral-storage": "30M" },
  limits: { cpu: "1000m", memory: "1024Mi", "ephemeral-storage": "50M" },
};

function readResources(env: Variables, prefix: string, defaults?: ResourceDefaults): ResourceDefaults {
  const amounts = (suffix: "REQUEST" | "LIMIT", fallback: Amounts = {}): Amounts =>
    Object.fromEntries(
      (["cpu", "memory", "ephemeral-storage"] as const)
        .map((name) => [name, env.quantity(`${prefix}_${names[name]}_${suffix}`, fallback[name] ?? "")] as const)
        .filter(([, value]) => value !== ""),
    );
  return { requests: amounts("REQUEST", defaults?.requests), limits: amounts("LIMIT", defaults?.limits) };
}

function override(base: ResourceDefaults, over: ResourceDefaults): ResourceDefaults {
  return { requests: { ...base.requests, ...over.requests }, limits: { ...base.limits, ...over.limits } };
}
