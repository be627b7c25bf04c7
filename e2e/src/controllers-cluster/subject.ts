// The two subjects of the suite: Kubernetes' own controller manager, and this project's controllers, each on a real API server.

import { setMaxListeners } from "node:events";
import { Client } from "@homeostat/client";
import { clusterControllers } from "@homeostat/cluster";
import { systemClock, systemRandom } from "@homeostat/core";
import { Cache, clientSources, textLogger } from "@homeostat/runtime";
import { startCluster } from "../harness/cluster.ts";

/** A cluster with somebody who controls it. */
export interface Subject extends AsyncDisposable {
  readonly name: "kubernetes" | "homeostat";
  readonly client: Client;
  /** The certificate authority of its API server. */
  readonly ca: string;
}

/** A real control plane, controlled by Kubernetes' own controller manager. */
export async function kubernetes(): Promise<Subject> {
  const cluster = await startCluster({ need: "control-plane" });
  const client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults: { fieldManager: "a-user" } });
  return {
    name: "kubernetes",
    client,
    ca: cluster.ca ?? "",
    async [Symbol.asyncDispose]() {
      client.close();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

/** A real API server alone, controlled by this project's controllers. */
export async function homeostat(): Promise<Subject> {
  const cluster = await startCluster({ need: "apiserver" });
  const client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults: { fieldManager: "a-user" } });
  const own = await Client.fromKubeconfig({
    file: cluster.kubeconfigPath,
    defaults: { fieldManager: "kube-controller-manager" },
  });
  const ca = cluster.ca ?? "";
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const cache = new Cache({ sources: clientSources(own), clock: systemClock, random: systemRandom });
  const verbose = process.env["HOMEOSTAT_VERBOSE"] !== undefined;
  const loops = clusterControllers({
    client: own,
    cache,
    clock: systemClock,
    random: systemRandom,
    ca,
    ...(verbose ? { log: textLogger() } : {}),
  });
  const running = Promise.all([cache.run(stop.signal), ...loops.map((loop) => loop.run(stop.signal))]);
  return {
    name: "homeostat",
    client,
    ca,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      own.close();
      client.close();
      await cluster[Symbol.asyncDispose]();
    },
  };
}
