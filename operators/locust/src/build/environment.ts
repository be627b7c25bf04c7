import type { DeepReadonly } from "homeostat";
import type { EnvFromSource, EnvVar } from "@homeostat/kubernetes/core/v1";
import type { Test } from "../api/locust-test.ts";
import type { Role } from "../api/names.ts";
import type { Settings } from "../settings/settings.ts";
import { effectiveArguments, variableOf } from "../api/effective-arguments.ts";
import type { BuildInput } from "./objects.ts";
import { libPath } from "./volumes.ts";

type Variable = DeepReadonly<EnvVar>;

const exitCodeVariable = variableOf("--exit-code-on-error");

/** Builds the variables of a Locust container. The user's come last, so that they override the operator's. */
export function variablesFor(
  { test: { spec }, settings }: BuildInput,
  { role, args }: { role: Role; args: readonly string[] },
): Variable[] {
  return [
    ...(settings.kafka.isInjected ? kafkaVariables(settings.kafka) : []),
    ...telemetryVariables(spec),
    ...(role === "master" ? exitCodeVariables(spec, args) : []),
    ...pythonPath(spec),
    ...(spec.env?.variables ?? []),
  ];
}

/** Builds the sources of further variables: ConfigMaps, then Secrets, in the user's order. */
export function variableSourcesFor({ env }: Test["spec"]): DeepReadonly<EnvFromSource>[] {
  return [
    ...(env?.configMapRefs ?? []).map(({ name, prefix }) => ({ ...prefixed(prefix), configMapRef: { name } })),
    ...(env?.secretRefs ?? []).map(({ name, prefix }) => ({ ...prefixed(prefix), secretRef: { name } })),
  ];
}

function prefixed(prefix: string | undefined): { prefix?: string } {
  return prefix === undefined || prefix === "" ? {} : { prefix };
}

function kafkaVariables(kafka: Settings["kafka"]): Variable[] {
  return [
    { name: "KAFKA_BOOTSTRAP_SERVERS", value: kafka.bootstrapServers },
    { name: "KAFKA_SECURITY_ENABLED", value: String(kafka.securityEnabled) },
    { name: "KAFKA_SECURITY_PROTOCOL_CONFIG", value: kafka.securityProtocol },
    { name: "KAFKA_SASL_MECHANISM", value: kafka.saslMechanism },
    ...kafkaCredentials(kafka),
  ];
}

/**
 * Builds the variables with credentials: from the Secret of the test's namespace if one is configured, otherwise from the
 * operator's own values. The kubelet reads the Secret; the operator never does.
 */
function kafkaCredentials({ secret, saslJaasConfig, username, password }: Settings["kafka"]): Variable[] {
  const from = (name: string, key: string, value: string): Variable => {
    if (secret.name === undefined || key === "") return { name, value };
    // Optional: a namespace whose tests do not use Kafka needs no such Secret.
    return { name, valueFrom: { secretKeyRef: { name: secret.name, key, optional: true } } };
  };
  return [
    from("KAFKA_SASL_JAAS_CONFIG", secret.jaasConfigKey, saslJaasConfig),
    from("KAFKA_USERNAME", secret.usernameKey, username),
    from("KAFKA_PASSWORD", secret.passwordKey, password),
  ];
}

function telemetryVariables({ observability }: Test["spec"]): Variable[] {
  const telemetry = observability?.openTelemetry;
  if (telemetry?.enabled !== true) return [];
  const { endpoint = "", protocol, insecure, extraEnvVars = {} } = telemetry;
  return [
    { name: "OTEL_TRACES_EXPORTER", value: "otlp" },
    { name: "OTEL_METRICS_EXPORTER", value: "otlp" },
    ...(endpoint === "" ? [] : [{ name: "OTEL_EXPORTER_OTLP_ENDPOINT", value: endpoint }]),
    { name: "OTEL_EXPORTER_OTLP_PROTOCOL", value: protocol },
    ...(insecure ? [{ name: "OTEL_EXPORTER_OTLP_INSECURE", value: "true" }] : []),
    ...Object.keys(extraEnvVars)
      .sort()
      .map((name) => ({ name, value: extraEnvVars[name] ?? "" })),
  ];
}

/**
 * Builds the variable that makes Locust exit with 0 despite failed requests, for tests with thresholds.
 *
 * With thresholds the statistics decide, so a failed request must not fail the Job. An exit code that the user sets has
 * precedence.
 */
function exitCodeVariables(spec: Test["spec"], args: readonly string[]): Variable[] {
  if ((spec.thresholds ?? []).length === 0 || isSetByUser(spec, exitCodeVariable)) return [];
  const { exitCodeOnError, unknown } = effectiveArguments({ args });
  if (exitCodeOnError !== undefined || unknown.has("exitCodeOnError")) return [];
  return [{ name: exitCodeVariable, value: "0" }];
}

/** Builds `PYTHONPATH` with the mount path of the library files, so that Python can import them. */
function pythonPath(spec: Test["spec"]): Variable[] {
  const { testFiles } = spec;
  // A ConfigMap or Secret of envFrom may set PYTHONPATH. A variable in `env` would override it.
  const mayComeFromSource = variableSourcesFor(spec).length > 0;
  if ((testFiles?.libConfigMapRef ?? "") === "" || mayComeFromSource || isSetByUser(spec, "PYTHONPATH")) return [];
  return [{ name: "PYTHONPATH", value: libPath(testFiles) }];
}

function isSetByUser({ env, observability }: Test["spec"], variable: string): boolean {
  const telemetry = observability?.openTelemetry;
  const isExtra = telemetry?.enabled === true && Object.hasOwn(telemetry.extraEnvVars ?? {}, variable);
  return isExtra || (env?.variables ?? []).some(({ name }) => name === variable);
}
