import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chronikModel } from "@homeostat/chronik-operator/app-model";
import { createClient } from "@homeostat/client";
import { startCluster } from "@homeostat/cluster";
import type { AppModel } from "@homeostat/cluster/app-model";
import { type Clock, HomeostatError } from "@homeostat/core";
import { locustModel } from "@homeostat/locust-operator/app-model";
import { operatorManifests } from "@homeostat/operator";
import { redisModel } from "@homeostat/tenant-operator/app-model";
import { applyAll, waitUntilServed } from "./apply-all.ts";
import { debugAddress, type TargetCluster } from "./target-cluster.ts";

/** Thrown when the requested port is in use. */
export class PortTakenError extends HomeostatError {
  readonly code = "PORT_TAKEN";
}

/** Namespace of the operators' service accounts, roles and webhook Services. */
const systemNamespace = "homeostat-system";
/** Kinds that are not installed, because the operators run in this process instead of in pods. */
const notInstalled = new Set(["Deployment", "PodDisruptionBudget"]);

/** Starts an embedded cluster in this process. */
export async function startEmbedded({
  port,
  clock,
  models,
  onError,
}: {
  readonly port: number | undefined;
  readonly clock: Clock;
  readonly models: readonly AppModel[];
  readonly onError: (error: unknown) => void;
}): Promise<TargetCluster> {
  /** Ports of the webhook servers in this process, by the name of the Service that the webhook configuration refers to. */
  const webhookPorts = new Map<string, number>();
  const cluster = await startCluster({
    port,
    clock,
    onError,
    models: [locustModel, redisModel, chronikModel, ...models],
    resolveService: ({ name }) => {
      const found = webhookPorts.get(name);
      return found === undefined ? `service "${name}" not found` : { host: "127.0.0.1", port: found };
    },
  }).catch((error: unknown) => {
    throw isPortInUse(error)
      ? new PortTakenError(
          `Port ${String(port)} is already in use. Choose another with --port N, or omit --port to use a free one.`,
          { cause: error },
        )
      : error;
  });
  // mkdtemp creates the directory with mode 0700: other users cannot read the client key in it.
  const folder = await mkdtemp(join(tmpdir(), "homeostat-"));
  const kubeconfig = join(folder, "kubeconfig");
  await cluster.writeKubeconfig(kubeconfig);
  const connection = cluster.connection();
  const client = createClient(connection);
  const { gitVersion } = await client.version();
  return {
    title: `Kubernetes ${gitVersion}, embedded`,
    url: cluster.url,
    kubeconfig,
    client,
    connection,
    addressOf: (ip, podPort) => cluster.addressOf(ip, podPort),
    async install(operator, signal) {
      const manifests = operatorManifests(operator, { namespace: systemNamespace });
      await applyAll(
        client,
        manifests.filter(({ kind }) => !notInstalled.has(kind)),
        { clock, signal },
      );
      for (const { kind, metadata } of manifests)
        if (kind === "CustomResourceDefinition") await waitUntilServed(client, metadata.name ?? "", { clock, signal });
    },
    managerOptions: ({ name, installation: { webhookServiceName = `${name}-webhook` } }) => ({
      // As the operator's service account, so that missing RBAC rules in its manifests show up here.
      connection: cluster.connection({
        user: `system:serviceaccount:${systemNamespace}:${name}`,
        group: "system:serviceaccounts",
      }),
      run: {
        namespace: systemNamespace,
        webhookPort: 0,
        healthProbeBindAddress: debugAddress,
        metricsBindAddress: "0",
      },
      webhooks: {
        host: "127.0.0.1",
        onListening: (listeningPort) => void webhookPorts.set(webhookServiceName, listeningPort),
      },
    }),
    // All objects disappear with the cluster.
    cleanUp: () => Promise.resolve(),
    async [Symbol.asyncDispose]() {
      client.close();
      await cluster.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function isPortInUse(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}
