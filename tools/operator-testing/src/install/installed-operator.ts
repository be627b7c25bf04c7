import { setTimeout as sleep } from "node:timers/promises";
import { type Client, type Connection, createClient, type CreateClientOptions } from "@homeostat/client";
import { startCluster } from "@homeostat/cluster";
import { isRecord } from "@homeostat/core";
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@homeostat/kubernetes/admissionregistration/v1";
import { createOperatorManager, type Operator, operatorManifests } from "@homeostat/operator";
import { type Check, silentLogger } from "@homeostat/runtime";
import { applyManifests } from "./apply-manifests.ts";

/** An operator that is installed on an embedded API server. Disposing of it stops both. */
export interface InstalledOperator extends AsyncDisposable {
  /** A client of the cluster administrator. */
  readonly client: Client;
  /** Returns a client of another user, with the permissions that the test grants. */
  clientOf(user: string, group?: string, options?: Pick<CreateClientOptions, "onWarning">): Client;
  /** Returns the connection of another user, for programs that run as a process. */
  connectionOf(user: string, group?: string): Connection;
  /** The port of metrics on the loopback interface. */
  readonly metricsPort: number;
}

/** Kinds of the manifests that are skipped, because the operator runs in this process instead of in pods. */
const processKinds: ReadonlySet<string> = new Set(["Deployment", "PodDisruptionBudget"]);
const waitMsMax = 30_000;
const pollMs = 20;

/** Applies the manifests of an operator to an embedded API server, and runs it with exactly their permissions, with its webhooks. */
export async function installOperator(operator: Operator, namespace: string): Promise<InstalledOperator> {
  let webhookPort: number | undefined;
  let metricsPort = 0;
  const cluster = await startCluster({
    parts: "api",
    resolveService: () => (webhookPort === undefined ? "no endpoints" : { host: "127.0.0.1", port: webhookPort }),
  });
  const client = createClient(cluster.connection());
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
    client.close();
    await cluster.stop();
  };
  try {
    const manifests = operatorManifests(operator, { namespace }).filter(({ kind }) => !processKinds.has(kind));
    await applyManifests(client, manifests);
    const manager = createOperatorManager(operator, {
      connection: cluster.connection({
        user: `system:serviceaccount:${namespace}:${operator.name}`,
        group: "system:serviceaccounts",
      }),
      run: { namespace, webhookPort: 0, healthProbeBindAddress: "0", metricsBindAddress: "127.0.0.1:0", grace: 0 },
      webhooks: { host: "127.0.0.1", pollMs: 100, onListening: (port) => void (webhookPort = port) },
      metrics: { onListening: (port) => void (metricsPort = port) },
      log: silentLogger,
      env: {},
    });
    running = manager.run(stopping.signal);
    // The port is reported only for metrics over HTTPS, which not every operator serves by default.
    const servesMetrics = (): boolean => operator.installation.metricsSecure !== true || metricsPort !== 0;
    const isReady = async (): Promise<boolean> =>
      servesMetrics() &&
      manager.readyChecks().every((check) => check.problem() === undefined) &&
      (await haveCertificates(client));
    for (let leftMs = waitMsMax; !(await isReady()); leftMs -= pollMs) {
      if (leftMs <= 0) throw new Error(notReady(operator.name, manager.readyChecks()));
      await sleep(pollMs);
    }
    // The mapper queries the server at most once a second and has cached the time before the CRDs were installed.
    await client.mapper.all({ isFresh: true });
    return {
      client,
      clientOf: (user, group = "people", options = {}) => createClient(cluster.transport({ user, group }), options),
      connectionOf: (user, group = "people") => cluster.connection({ user, group }),
      metricsPort,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function notReady(name: string, checks: readonly Check[]): string {
  const problems = checks.flatMap((check) => {
    const problem = check.problem();
    return problem === undefined ? [] : [`${check.name} ${problem}`];
  });
  return `${name} did not become ready within ${waitMsMax / 1_000} s: ${problems.join("; ") || "webhooks have no CA"}`;
}

/** Reports whether the API server can verify every webhook: the operator writes its CA bundle into the configurations. */
async function haveCertificates(client: Client): Promise<boolean> {
  const configurations = [
    ...(await client.list(MutatingWebhookConfiguration)).items,
    ...(await client.list(ValidatingWebhookConfiguration)).items,
  ];
  return configurations
    .flatMap(({ webhooks = [] }) => webhooks)
    .every(({ clientConfig }) => isRecord(clientConfig) && clientConfig["caBundle"] !== undefined);
}
