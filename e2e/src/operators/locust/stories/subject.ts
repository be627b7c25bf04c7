// Clusters for the stories: a real node with real Locust, and the embedded cluster with its model of Locust.

import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@homeostat/client";
import { startCluster as startEmbeddedCluster } from "@homeostat/cluster";
import { LocustTest } from "@homeostat/locust-operator";
import { locustModel } from "@homeostat/locust-operator/app-model";
import { startCluster } from "../../../harness/cluster.ts";
import { installKind } from "../../../harness/install-kind.ts";
import { OperatorProcess } from "../../../harness/operator-process.ts";
import { repository } from "../../../harness/repository.ts";

/** A cluster that can run load tests. */
export interface Subject extends AsyncDisposable {
  readonly name: "real" | "embedded";
  readonly client: Client;
  readonly kubeconfigPath: string;
  /** Number of stories that run at the same time. */
  readonly storiesMax: number;
  /** Environment variables of the operator. */
  readonly env: Readonly<Record<string, string>>;
}

/** Locust image: the real one or its model. */
export const locustImage = "docker.io/locustio/locust:2.47.0";
/** Image of the target service. */
export const nodeImage = "docker.io/library/node:20";

const tool = join(repository, "tools/kube/dist/main.js");
const run = promisify(execFile);

// Pods of many load tests share two cores. The metrics exporter image is not available; a container that sleeps replaces it.
const common = {
  POD_CPU_REQUEST: "10m",
  POD_MEM_REQUEST: "16Mi",
  POD_CPU_LIMIT: "",
  POD_EPHEMERAL_LIMIT: "",
  METRICS_EXPORTER_IMAGE: "docker.io/local/pause:1",
  METRICS_EXPORTER_IMAGE_PULL_POLICY: "IfNotPresent",
  METRICS_EXPORTER_CPU_REQUEST: "1m",
  METRICS_EXPORTER_MEM_REQUEST: "1Mi",
  // A busy machine starts pods slowly.
  POD_STARTUP_GRACE_SECONDS: "900",
};

/** Starts a real cluster with a node, and builds an image with Locust from the package index. */
export async function realSubject(): Promise<Subject> {
  const cluster = await startCluster({ need: "node" });
  try {
    // Built once, in about two minutes, and cached on this machine.
    const name = basename(dirname(cluster.kubeconfigPath));
    await run(process.execPath, [tool, "image", "base", "--install", "--name", name]);
    const client = await prepared(cluster.kubeconfigPath);
    return {
      name: "real",
      // Each story has its own master and workers, and a starting Locust uses a core for a second.
      storiesMax: 4,
      client,
      kubeconfigPath: cluster.kubeconfigPath,
      env: { ...common, LIVE_STATS_ACCESS: "podIP" },
      [Symbol.asyncDispose]: async () => {
        client.close();
        await cluster.stop();
      },
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** Starts the embedded cluster, whose pods are reached through its API server. */
export async function embeddedSubject(): Promise<Subject> {
  const folder = await mkdtemp(join(tmpdir(), "homeostat-locust-"));
  const cluster = await startEmbeddedCluster({ models: [locustModel] });
  const kubeconfigPath = join(folder, "kubeconfig");
  await cluster.writeKubeconfig(kubeconfigPath);
  const client = await prepared(kubeconfigPath);
  return {
    name: "embedded",
    storiesMax: 100,
    client,
    kubeconfigPath,
    env: { ...common, LIVE_STATS_ACCESS: "apiProxy" },
    [Symbol.asyncDispose]: async () => {
      client.close();
      await cluster.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts the operator for some namespaces of a subject. */
export function startOperator({ kubeconfigPath, env }: Subject, namespaces: readonly string[]): OperatorProcess {
  const flags = ["--watch-namespaces", namespaces.join(",")];
  return new OperatorProcess({ operator: "locust", kubeconfigPath, flags, env });
}

async function prepared(kubeconfigPath: string): Promise<Client> {
  const client = await Client.fromKubeconfig({ file: kubeconfigPath, defaults: { fieldManager: "a-user" } });
  const crd = LocustTest.crd();
  // Without the conversion webhook, the old version cannot be served.
  const versions = crd.spec.versions.map((version) => ({ ...version, served: version.name !== "v1" }));
  await installKind(client, { ...crd, spec: { ...crd.spec, versions, conversion: { strategy: "None" } } });
  return client;
}
