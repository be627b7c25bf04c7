// The two subjects of the suite: Kubernetes' own controller manager, and this project's controllers, each on a real API server.

import { setMaxListeners } from "node:events";
import { Client } from "@homeostat/client";
import { clusterControllers, type ControlLoop } from "@homeostat/cluster";
import { systemClock, systemRandom } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import { Cache, clientSources, textLogger } from "@homeostat/runtime";
import { startCluster } from "../harness/cluster.ts";

/** A cluster with somebody who controls it. */
export interface Subject extends AsyncDisposable {
  readonly name: "kubernetes" | "homeostat";
  readonly client: Client;
  /** The certificate authority of its API server. */
  readonly ca: string;
}

/** A real control plane, controlled by Kubernetes' own controller manager. Only the storage driver is ours. */
export async function kubernetes(): Promise<Subject> {
  return started(
    "kubernetes",
    await startCluster({ need: "control-plane" }),
    ({ name }) => name === "simulated-provisioner",
  );
}

/** A real API server alone, controlled by this project's controllers. */
export async function homeostat(): Promise<Subject> {
  return started("homeostat", await startCluster({ need: "apiserver" }), () => true);
}

async function started(
  name: Subject["name"],
  cluster: RealCluster,
  isRun: (loop: ControlLoop) => boolean,
): Promise<Subject> {
  const file = cluster.kubeconfigPath;
  const client = await Client.fromKubeconfig({ file, defaults: { fieldManager: "a-user" } });
  const own = await Client.fromKubeconfig({ file, defaults: { fieldManager: "kube-controller-manager" } });
  const ca = cluster.ca ?? "";
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const cache = new Cache({ sources: clientSources(own), clock: systemClock, random: systemRandom });
  const isVerbose = process.env["HOMEOSTAT_VERBOSE"] !== undefined;
  const loops = clusterControllers({
    client: own,
    cache,
    clock: systemClock,
    random: systemRandom,
    ca,
    ...(isVerbose ? { log: textLogger() } : {}),
  });
  const runs = loops.filter(isRun).map((loop) => loop.run(stop.signal));
  const running = Promise.all([cache.run(stop.signal), ...runs]);
  return {
    name,
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
