import type { Amounts, OperatorConfig, ResourceDefaults } from "./settings.ts";
import { ConfigurationError } from "./errors.ts";
import { type ConfigWarning, type Environment, Variables } from "./variables.ts";

/** The configuration, and what could not be used of what was said. */
export interface ConfigReading {
  readonly config: OperatorConfig;
  readonly warnings: readonly ConfigWarning[];
}

const amounts = [
  ["cpu", "CPU"],
  ["memory", "MEM"],
  ["ephemeral-storage", "EPHEMERAL"],
] as const;

/** What containers get when nobody says: cpu, memory, ephemeral storage. */
const usual = { REQUEST: ["250m", "128Mi", "30M"], LIMIT: ["1000m", "1024Mi", "50M"] } as const;

/**
 * Reads the operator's configuration from environment variables.
 *
 * A truth value, a number or a choice that cannot be read gives a warning, and its default holds. Amounts and names that
 * would make every test fail are refused: throws a `ConfigurationError` with all of them.
 */
export function readConfig(env: Environment): ConfigReading {
  const read = new Variables(env);
  const common = readResources(read, "POD");
  const config: OperatorConfig = {
    jobTtlSeconds: read.integer("JOB_TTL_SECONDS_AFTER_FINISHED", { fallback: undefined, min: 0 }),
    resources: {
      master: over(common, readOverrides(read, "MASTER_POD")),
      worker: over(common, readOverrides(read, "WORKER_POD")),
    },
    exporter: {
      image: read.text("METRICS_EXPORTER_IMAGE", "containersol/locust_exporter:v0.5.0"),
      port: read.integer("METRICS_EXPORTER_PORT", { fallback: 9646, min: 1, max: 65_535 }),
      pullPolicy: read.choice(
        "METRICS_EXPORTER_IMAGE_PULL_POLICY",
        ["Always", "IfNotPresent", "Never"] as const,
        "Always",
      ),
      resources: readResources(read, "METRICS_EXPORTER"),
    },
    kafka: {
      bootstrapServers: read.text("KAFKA_BOOTSTRAP_SERVERS", "localhost:9092"),
      securityEnabled: read.boolean("KAFKA_SECURITY_ENABLED", false),
      securityProtocol: read.text("KAFKA_SECURITY_PROTOCOL_CONFIG", "SASL_PLAINTEXT"),
      saslMechanism: read.text("KAFKA_SASL_MECHANISM", "SCRAM-SHA-512"),
      saslJaasConfig: read.text("KAFKA_SASL_JAAS_CONFIG", ""),
      username: read.text("KAFKA_USERNAME", ""),
      password: read.text("KAFKA_PASSWORD", ""),
      isInjected:
        read.choice("KAFKA_INJECTION", ["always", "auto"] as const, "always") === "always" ||
        read.text("KAFKA_BOOTSTRAP_SERVERS", "") !== "",
    },
    affinityInjection: read.boolean("ENABLE_AFFINITY_CR_INJECTION", false),
    tolerationsInjection: read.boolean("ENABLE_TAINT_TOLERATIONS_CR_INJECTION", false),
    defaultRuntimeClassName: read.subdomain("DEFAULT_RUNTIME_CLASS_NAME"),
    watchNamespaces: read.labels("WATCH_NAMESPACES"),
    podStartupGraceSeconds: read.integer("POD_STARTUP_GRACE_SECONDS", { fallback: 120, min: 0 }),
    maxConcurrentReconciles: read.integer("MAX_CONCURRENT_RECONCILES", { fallback: 4, min: 1, max: 1000 }),
    liveStats: {
      enabled: read.boolean("LIVE_STATS_ENABLED", true),
      access: read.choice("LIVE_STATS_ACCESS", ["podIP", "apiProxy", "off"] as const, "podIP"),
      intervalSeconds: read.integer("LIVE_STATS_INTERVAL_SECONDS", { fallback: 5, min: 2, max: 300 }),
    },
  };
  if (read.problems.length > 0) throw new ConfigurationError(read.problems);
  return { config, warnings: read.warnings };
}

/** What the log says about a configuration when the operator starts: nothing that could be secret. */
export function describeConfig(config: OperatorConfig): Readonly<Record<string, unknown>> {
  return {
    ttlSecondsAfterFinished: config.jobTtlSeconds,
    metricsExporterImage: config.exporter.image,
    affinityInjection: config.affinityInjection,
    tolerationsInjection: config.tolerationsInjection,
  };
}

function readResources(read: Variables, prefix: string): ResourceDefaults {
  return readBoth((kind, name, index) => read.quantity(`${prefix}_${name}_${kind}`, usual[kind][index] ?? ""));
}

function readOverrides(read: Variables, prefix: string): ResourceDefaults {
  return readBoth((kind, name) => read.quantity(`${prefix}_${name}_${kind}`, ""));
}

function readBoth(amount: (kind: "REQUEST" | "LIMIT", name: string, index: number) => string): ResourceDefaults {
  const of = (kind: "REQUEST" | "LIMIT"): Amounts =>
    Object.fromEntries(
      amounts
        .map(([key, name], index) => [key, amount(kind, name, index)] as const)
        .filter(([, value]) => value !== ""),
    );
  return { requests: of("REQUEST"), limits: of("LIMIT") };
}

function over(common: ResourceDefaults, own: ResourceDefaults): ResourceDefaults {
  return { requests: { ...common.requests, ...own.requests }, limits: { ...common.limits, ...own.limits } };
}
