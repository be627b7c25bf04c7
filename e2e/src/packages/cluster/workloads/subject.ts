// The subjects of the suite: the controllers of Kubernetes, ours on the same API server, and ours on the embedded API server.

import { setMaxListeners } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, createClient } from "@homeostat/client";
import { startCluster as startEmbedded } from "@homeostat/cluster";
import { clusterControllers, scheduler, workloadControllers } from "@homeostat/cluster/internal";
import { systemClock, systemRandom } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import { Cache, clientSources, textLogger } from "@homeostat/runtime";
import { startCluster } from "../../../harness/cluster.ts";

/** A cluster with workload controllers. */
export interface Subject extends AsyncDisposable {
  readonly name: "real" | "ours" | "embedded";
  readonly client: Client;
  readonly kubeconfigPath: string;
}

/** Starts Kubernetes, our controllers on its API server, and (unless disabled) the embedded control plane. Stops all if one fails. */
export async function allSubjects({ embedded = true }: { readonly embedded?: boolean } = {}): Promise<
  readonly Subject[]
> {
  const starting = [realSide(), ourSide(), ...(embedded ? [embeddedSide()] : [])];
  const results = await Promise.allSettled(starting);
  const subjects = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const failed = results.find((result) => result.status === "rejected");
  if (failed === undefined) return subjects;
  await Promise.all(subjects.map((side) => side[Symbol.asyncDispose]()));
  throw failed.reason;
}

/** Starts Kubernetes with its controller manager and scheduler. */
async function realSide(): Promise<Subject> {
  const cluster = await startCluster({ need: "control-plane" });
  const client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults: { fieldManager: "a-user" } });
  const { kubeconfigPath } = cluster;
  return { name: "real", client, kubeconfigPath, [Symbol.asyncDispose]: () => end(cluster, [client]) };
}

/** Starts the API server of Kubernetes with our controllers. */
async function ourSide(): Promise<Subject> {
  const cluster = await startCluster({ need: "apiserver" });
  const client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults: { fieldManager: "a-user" } });
  const own = await Client.fromKubeconfig({ file: cluster.kubeconfigPath });
  const clock = systemClock;
  const random = systemRandom;
  const cache = new Cache({ sources: clientSources(own), clock, random });
  const log = process.env["HOMEOSTAT_E2E_LOG"] === undefined ? undefined : textLogger({ level: "debug" });
  const parts = { client: own, cache, clock, random, ...(log === undefined ? {} : { log }) };
  const life = new AbortController();
  // Every informer adds a listener to the signal.
  setMaxListeners(0, life.signal);
  const loops = [
    ...workloadControllers(parts),
    scheduler(parts),
    // The garbage collector above all, which deletes dependents of workloads.
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

/** Starts the embedded API server with our controllers and without a node. */
async function embeddedSide(): Promise<Subject> {
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
