import type { DeepReadonly } from "@homeostat/core";
import type { EnvFromSource, EnvVar } from "@homeostat/kubernetes/core/v1";
import type { Role } from "../api/identity.ts";
import { effectiveArguments, variableOf } from "./effective-arguments.ts";
import type { KafkaConfig } from "../settings/settings.ts";
import type { Plan, Test } from "./objects.ts";
import { libPath } from "./volumes.ts";

type Variable = DeepReadonly<EnvVar>;

const exitCodeVariable = variableOf("--exit-code-on-error");

/**
 * The variables of a Locust container.
 *
 * The user's come last. Of two with the same name the last counts, so that users can override every one of the operator's.
 */
export function variablesFor(
  { test, config }: Plan,
  { role, args }: { role: Role; args: readonly string[] },
): Variable[] {
  const { spec } = test;
  const users = spec.env?.variables ?? [];
  return [
    ...(config.kafka.isInjected ? kafkaVariables(config.kafka) : []),
    ...telemetryVariables(spec),
    ...(role === "master" ? exitCode(spec, args) : []),
    ...pythonPath(spec),
    ...users,
  ];
}

/** Where more variables come from: ConfigMaps, then Secrets, in the user's order. */
export function variableSourcesFor({ env }: Test["spec"]): DeepReadonly<EnvFromSource>[] {
  return [
    ...(env?.configMapRefs ?? []).map(({ name, prefix }) => ({ ...prefixed(prefix), configMapRef: { name } })),
    ...(env?.secretRefs ?? []).map(({ name, prefix }) => ({ ...prefixed(prefix), secretRef: { name } })),
  ];
}

function prefixed(prefix: string | undefined): { prefix?: string } {
  return prefix === undefined || prefix === "" ? {} : { prefix };
}

function kafkaVariables(kafka: KafkaConfig): Variable[] {
  return [
    { name: "KAFKA_BOOTSTRAP_SERVERS", value: kafka.bootstrapServers },
    { name: "KAFKA_SECURITY_ENABLED", value: String(kafka.securityEnabled) },
    { name: "KAFKA_SECURITY_PROTOCOL_CONFIG", value: kafka.securityProtocol },
    { name: "KAFKA_SASL_MECHANISM", value: kafka.saslMechanism },
    { name: "KAFKA_SASL_JAAS_CONFIG", value: kafka.saslJaasConfig },
    { name: "KAFKA_USERNAME", value: kafka.username },
    { name: "KAFKA_PASSWORD", value: kafka.password },
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

/** With thresholds the numbers decide, and not that one request failed; unless the user has said what to exit with. */
function exitCode(spec: Test["spec"], args: readonly string[]): Variable[] {
  if ((spec.thresholds ?? []).length === 0 || isGiven(spec, exitCodeVariable)) return [];
  const { exitCodeOnError, unknown } = effectiveArguments({ args });
  if (exitCodeOnError !== undefined || unknown.has("exitCodeOnError")) return [];
  return [{ name: exitCodeVariable, value: "0" }];
}

/** Nothing else would put the library files where Python looks for them. */
function pythonPath(spec: Test["spec"]): Variable[] {
  const { testFiles } = spec;
  // A variable from a ConfigMap or a Secret would be beaten by ours, and nobody can see from here whether there is one.
  const mayComeFromElsewhere = variableSourcesFor(spec).length > 0;
  if ((testFiles?.libConfigMapRef ?? "") === "" || mayComeFromElsewhere || isGiven(spec, "PYTHONPATH")) return [];
  return [{ name: "PYTHONPATH", value: libPath(testFiles) }];
}

function isGiven({ env, observability }: Test["spec"], variable: string): boolean {
  const telemetry = observability?.openTelemetry;
  const isExtra = telemetry?.enabled === true && Object.hasOwn(telemetry.extraEnvVars ?? {}, variable);
  return isExtra || (env?.variables ?? []).some(({ name }) => name === variable);
}
