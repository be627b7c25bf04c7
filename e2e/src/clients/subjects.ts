// The two clusters between which a client must not find a difference.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClusterOptions, startCluster as startEmbedded } from "@homeostat/cluster";
import { startCluster as startReal } from "../harness/cluster.ts";

/** A cluster with its kubeconfig. */
export interface Subject extends AsyncDisposable {
  readonly name: "embedded" | "real";
  readonly kubeconfig: string;
}

/** Starts the embedded cluster. Its disposal fails if any internal error occurred. */
export async function embedded(options: ClusterOptions = {}): Promise<Subject> {
  const errors: unknown[] = [];
  const cluster = await startEmbedded({ onError: (error) => void errors.push(error), ...options });
  const folder = await mkdtemp(join(tmpdir(), "homeostat-clients-"));
  const kubeconfig = join(folder, "kubeconfig");
  await cluster.writeKubeconfig(kubeconfig);
  return {
    name: "embedded",
    kubeconfig,
    async [Symbol.asyncDispose]() {
      await cluster.stop();
      await rm(folder, { recursive: true });
      if (errors.length > 0) throw new AggregateError(errors, "the embedded cluster failed");
    },
  };
}

/** Starts the real control plane with its controllers and without a node. */
export async function real(): Promise<Subject> {
  const cluster = await startReal({ need: "control-plane" });
  return { name: "real", kubeconfig: cluster.kubeconfigPath, [Symbol.asyncDispose]: () => cluster.stop() };
}
