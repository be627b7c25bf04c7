// The subjects of the suite: Kubernetes' own controllers, ours on the same API server, and ours on our own.

import { setMaxListeners } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, createClient } from "@homeostat/client";
import { clusterControllers, scheduler, startCluster as startEmbedded, workloadControllers } from "@homeostat/cluster";
import { systemClock, systemRandom } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import { Cache, clientSources, textLogger } from "@homeostat/runtime";
import { startCluster } from "../../../harness/cluster.ts";

/** A cluster in which somebody looks after workloads. */
export interface Side extends AsyncDisposable {
  readonly name: "real" | "ours" | "embedded";
  readonly client: Client;
  readonly kubeconfigPath: string;
}

/** Kubernetes, our controllers on its API server, and the embedded control plane unless told otherwise. All or none. */
export async function allSides({ embedded = true }: { readonly embedded?: boolean } = {}): Promise<readonly Side[]> {
  const starting = [realSide(), ourSide(), ...(embedded ? [embeddedSide()] : [])];
  const results = await Promise.allSettled(starting);
  const sides = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const failed = results.find((result) => result.status === "rejected");
  if (failed === undefined) return sides;
  await Promise.all(sides.map((side) => side[Symbol.asyncDispose]()));
  throw failed.reason;
}

/** Kubernetes with its own controller manager and scheduler. */
async function realSide(): Promise<Side> {
  const cluster = await startCluster({ need: "control-plane" });
  const client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults: { fieldManager: "a-user" } });
  const { kubeconfigPath } = cluster;
  return { name: "real", client, kubeconfigPath, [Symbol.asyncDispose]: () => end(cluster, [client]) };
}

/** The API server of Kubernetes with our controllers. */
async function ourSide(): Promise<Side> {
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

/** Our API server with our controllers, and no node. */
async function embeddedSide(): Promise<Side> {
  const folder = await mkdtemp(join(tmpdir(), "homeostat-workloads-"));
  const cluster = await startEmbedded({ nodes: [], hasStorage: false });
  const kubeconfigPath = join(folder, "kubeconfig");
  await cluster.writeKubeconfig(kubeconfigPath);
  const client = createClient(cluster.connection(), { defaults: { fieldManager: "a-user" } });
  return {
    name: "embedded",
    client,
    kubeconfigPath,
    async [Symbol.asyncDispose]() {
      client.close();
      await cluster.stop();
      await rm(folder, { recursive: true });
    },
  };
}

async function end(cluster: RealCluster, clients: readonly Client[]): Promise<void> {
  for (const client of clients) client.close();
  await cluster.stop();
}
