import type { Connection, Layer, Transport } from "@homeostat/client";
import { type Clock, type Random, systemClock, systemRandom } from "@homeostat/core";
import {
  createManager,
  type LeaderElectionOptions,
  type Logger,
  type Manager,
  type ManagerHttpOptions,
  type Registry,
  type ServiceDefinition,
} from "@homeostat/runtime";
import { inNamespaces } from "../definition/in-namespaces.ts";
import type { Operator } from "../definition/operator.ts";
import type { OperatorSettings } from "../installation/options.ts";
import { defaultSettings } from "../flags/read-flags.ts";
import type { CertificateFolder } from "../certificates/certificate-folder.ts";
import { leaseName, metricsHosts } from "../installation/names.ts";
import { secureMetrics, type SecureMetricsOptions } from "../metrics/metrics-service.ts";
import { installationOf } from "../definition/installation.ts";
import { operatorTraces } from "../tracing/operator-traces.ts";
import { operatorWebhooks, type OperatorWebhookOptions } from "../webhooks/operator-webhooks.ts";
import { parseBindAddress, runFlagsOf, type RunSettings } from "../flags/run-flags.ts";

/** Options of {@link createOperatorManager}. */
export interface OperatorManagerOptions {
  readonly connection: Connection | Transport;
  /** Settings of the flags that every operator has. Missing ones have their defaults. */
  readonly run?: Partial<RunSettings>;
  /** Values of the operator's own flags. Missing ones have their defaults. */
  readonly settings?: OperatorSettings;
  readonly log?: Logger;
  readonly registry?: Registry;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The shell command that starts the program, for commands that log messages suggest. Default: the operator's name. */
  readonly program?: string;
  /** Additional layers of the client, such as that of an `accessRecorder`. */
  readonly layers?: readonly Layer[];
  /** Options of leader election. Has no effect unless `run.leaderElect` is true. */
  readonly election?: LeaderElectionOptions;
  readonly webhooks?: Pick<OperatorWebhookOptions, "host" | "pollMs" | "onListening">;
  /** Options of the metrics server. Has no effect unless `run.metricsSecure` is true. */
  readonly metrics?: Pick<SecureMetricsOptions, "pollMs" | "onListening">;
}

/** The grace period of webhook requests after SIGTERM. Less than the 5 seconds that a manager waits for its services. */
const webhookGraceMs = 4_000;

/**
 * Creates the manager that runs an operator. Starts nothing.
 *
 * Calls `createManager` with the operator's controllers, services and webhooks, and with the names that its manifests use.
 */
export function createOperatorManager(operator: Operator, options: OperatorManagerOptions): Manager {
  const { connection, settings = {}, env = process.env, layers, webhooks, election = {} } = options;
  const run: RunSettings = { ...defaultSettings(runFlagsOf(operator)), ...options.run };
  const { instance = operator.name } = run;
  const namespace = namespaceOf(run, connection, env);
  const installation = installationOf(operator, {
    instance,
    namespace,
    watchNamespaces: run.watchNamespaces,
    webhooks: run.webhooks,
    settings,
  });
  const { controllers, services, webhooks: served, setup } = operator.forManager(settings);
  const serving = operatorWebhooks(installation, {
    certificate: folderOf(run.webhookCertDir, {
      certName: run.webhookCertName,
      keyName: run.webhookCertKey,
      waitMs: run.webhookCertWaitTimeout,
    }),
    clientAuthorities:
      run.webhookClientCa === undefined ? undefined : { file: run.webhookClientCa, names: run.webhookClientNames },
    port: run.webhookPort,
    graceMs: webhookGraceMs,
    webhooks: served,
    ...webhooks,
  });
  const http = httpOf(run);
  const { clock = systemClock, random = systemRandom } = options;
  const program = { name: operator.name, version: operator.version };
  const traces =
    operator.manager.tracing === undefined ? operatorTraces({ env, clock, random, ...program }) : undefined;
  return createManager({
    name: instance,
    version: operator.version,
    connection,
    namespace,
    namespaceSetting: "--namespace",
    ...(traces === undefined ? {} : { tracing: traces.tracing }),
    ...operator.manager,
    client: {
      userAgent: `${operator.name}/${operator.version}`,
      ...operator.manager.client,
      ...(layers === undefined ? {} : { layers }),
    },
    setup,
    controllers: inNamespaces(controllers, run.watchNamespaces),
    services: [
      ...services,
      ...(serving === undefined ? [] : [serving]),
      ...(traces === undefined ? [] : [traces.service]),
      ...secureMetricsOf(run, { hosts: [...metricsHosts(instance, namespace), "localhost"], ...options.metrics }),
    ],
    leaderElection: run.leaderElect ? { name: leaseName(instance, operator), namespace, ...election } : false,
    http,
    preflight: { installCommand: installCommandOf(operator, options.program ?? operator.name) },
    graceMs: run.grace,
    drainMs: run.drain,
    env,
    ...(options.log === undefined ? {} : { log: options.log }),
    ...(options.registry === undefined ? {} : { registry: options.registry }),
    clock,
    random,
  });
}

/** Returns a function that returns the shell command that installs the CRD of a kind; undefined for kinds that the operator does not install. */
function installCommandOf(
  { resources }: Operator,
  program: string,
): (kind: { readonly group: string; readonly resource: string }) => string | undefined {
  return ({ group, resource }) =>
    resources.some((own) => own.group === group && own.plural === resource)
      ? `${program} manifests --only crds | kubectl apply --server-side -f -`
      : undefined;
}

function namespaceOf(
  { namespace }: RunSettings,
  connection: Connection | Transport,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const fromKubeconfig = "send" in connection ? undefined : connection.namespace;
  return namespace ?? (env["POD_NAMESPACE"] || fromKubeconfig || "default");
}

function folderOf(folder: string | undefined, names: Omit<CertificateFolder, "folder">): CertificateFolder | undefined {
  return folder === undefined ? undefined : { folder, ...names };
}

/** Returns the service that serves metrics over HTTPS, if the settings ask for it. */
function secureMetricsOf(
  { metricsSecure, metricsBindAddress, metricsCertDir, metricsCertName, metricsCertKey }: RunSettings,
  options: Pick<SecureMetricsOptions, "hosts" | "pollMs" | "onListening">,
): ServiceDefinition[] {
  const address = parseBindAddress(metricsBindAddress) ?? false;
  if (!metricsSecure || address === false) return [];
  const certificate = folderOf(metricsCertDir, { certName: metricsCertName, keyName: metricsCertKey });
  return [secureMetrics({ ...address, ...options, certificate })];
}

/** Returns the HTTP options of the manager: health and metrics at one address or two, either of which may be disabled. */
function httpOf(run: RunSettings): ManagerHttpOptions | false {
  const { healthProbeBindAddress, metricsBindAddress, metricsSecure, profiling } = run;
  const health = parseBindAddress(healthProbeBindAddress) ?? false;
  const metrics = metricsSecure ? false : (parseBindAddress(metricsBindAddress) ?? false);
  if (health === false) return metrics === false ? false : { ...metrics, profiling };
  const isShared = metrics !== false && metrics.port === health.port && metrics.port !== 0;
  return { ...health, profiling, ...(isShared ? {} : { metrics }) };
}
