// The two subjects of the suite: Kubernetes' own controllers, and ours on an API server that has none.

import { setMaxListeners } from "node:events";
import { Client } from "@homeostat/client";
import { clusterControllers, scheduler, workloadControllers } from "@homeostat/cluster";
import { systemClock, systemRandom } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import { Cache, clientSources, textLogger } from "@homeostat/runtime";
import { startCluster } from "../harness/cluster.ts";

/** A cluster in which somebody looks after workloads. */
export interface Side extends AsyncDisposable {
  readonly name: "real" | "ours";
  readonly client: Client;
  readonly kubeconfigPath: string;
}

/** Kubernetes with its own controller manager and scheduler. */
export async function realSide(): Promise<Side> {
  const cluster = await startCluster({ need: "control-plane" });
  const client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults: { fieldManager: "a-user" } });
  const { kubeconfigPath } = cluster;
  return { name: "real", client, kubeconfigPath, [Symbol.asyncDispose]: () => end(cluster, [client]) };
}

/** The API server of Kubernetes with our controllers. */
export async function ourSide(): Promise<Side> {
  const cluster = await startCluster({ need: "apiserver" });
  const client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults: { fieldManager: "a-user" } });
  const own = await Client.fromKubeconfig({ file: cluster.kubeconfigPath });
  const clock = systemClock;
  const random = systemRandom;
  const cache = new Cache({ sources: clientSources(own), clock, random });
  const log = process.env["HOMEOSTAT_E2E_LOG"] === undefined ? undefined : textLogger({ level: "debug" });
  const parts = { client: own, cache, clock, random, ...(log === undefined ? {} : { log }) };
  const life = new AbortController();
  // Every informer listens to it.
  setMaxListeners(0, life.signal);
  const loops = [
    ...workloadControllers(parts),
    scheduler(parts),
    // The garbage collector above all: much of what workloads have goes with them.
    ...clusterControllers({ ...parts, ca: cluster.ca ?? "" }),
  ];
  const running = Promise.all([cache.run(life.signal), ...loops.map((loop) => loop.run(life.signal))]);
  return {
    name: "ours",
    client,
    kubeconfigPath: cluster.kubeconfigPath,
    async [Symbol.asyncDispose]() {
      life.abort();
      await running;
      await end(cluster, [client, own]);
    },
  };
}

async function end(cluster: RealCluster, clients: readonly Client[]): Promise<void> {
  for (const client of clients) client.close();
  await cluster.stop();
}
