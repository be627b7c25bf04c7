import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@homeostat/client";
import { startCluster } from "@homeostat/cluster";
import { type Clock, HomeostatError } from "@homeostat/core";
import { locustModel } from "@homeostat/locust-operator/app-model";
import { operatorManifests } from "@homeostat/operator";
import { redisModel } from "@homeostat/tenant-operator/app-model";
import { applyAll, waitUntilServed } from "./apply-all.ts";
import type { Place } from "./place.ts";

/** Thrown when a port that was asked for is not to be had. */
export class PortTakenError extends HomeostatError {
  readonly code = "PORT_TAKEN";
}

/** Where operators have their accounts, roles and webhooks. */
const systemNamespace = "homeostat-system";
/** What is not made here: the operators run in this process. */
const notMade = new Set(["Deployment", "PodDisruptionBudget"]);

/** Starts a Kubernetes in this process. */
export async function embeddedPlace({
  port,
  clock,
  onError,
}: {
  readonly port: number | undefined;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}): Promise<Place> {
  /** Where webhooks listen, by the name of the Service that stands for them. */
  const webhookPorts = new Map<string, number>();
  const cluster = await startCluster({
    port,
    clock,
    onError,
    models: [locustModel, redisModel],
    resolveService: ({ name }) => {
      const found = webhookPorts.get(name);
      return found === undefined ? `service "${name}" not found` : { host: "127.0.0.1", port: found };
    },
  }).catch((error: unknown) => {
    throw isTaken(error)
      ? new PortTakenError(
          `Port ${String(port)} is taken. Choose another with --port N, or leave --port out for a free one.`,
          { cause: error },
        )
      : error;
  });
  // Nobody else can look into it.
  const folder = await mkdtemp(join(tmpdir(), "homeostat-"));
  const kubeconfig = join(folder, "kubeconfig");
  await cluster.writeKubeconfig(kubeconfig);
  const client = createClient(cluster.connection());
  const { gitVersion } = await client.version();
  return {
    title: `Kubernetes ${gitVersion}, embedded`,
    url: cluster.url,
    kubeconfig,
    client,
    async install(operator, signal) {
      const manifests = operatorManifests(operator, { namespace: systemNamespace });
      await applyAll(
        client,
        manifests.filter(({ kind }) => !notMade.has(kind)),
        { clock, signal },
      );
      for (const { kind, metadata } of manifests)
        if (kind === "CustomResourceDefinition") await waitUntilServed(client, metadata.name ?? "", { clock, signal });
    },
    managerOptions: ({ name, installation: { webhookServiceName = `${name}-webhook` } }) => ({
      // Under exactly the rights that its manifests give it.
      connection: cluster.connection({
        user: `system:serviceaccount:${systemNamespace}:${name}`,
        group: "system:serviceaccounts",
      }),
      run: {
        namespace: systemNamespace,
        webhookPort: 0,
        healthProbeBindAddress: "0",
        metricsBindAddress: "0",
      },
      webhooks: {
        host: "127.0.0.1",
        onListening: (at) => void webhookPorts.set(webhookServiceName, at),
      },
    }),
    // All of it goes with the cluster.
    takeBack: () => Promise.resolve(),
    async [Symbol.asyncDispose]() {
      client.close();
      await cluster.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}
