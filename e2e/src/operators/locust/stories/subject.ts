// Where the stories of load tests are played: a real node with real Locust, and the embedded cluster with its model of it.

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

/** A cluster in which load tests can be run. */
export interface Subject extends AsyncDisposable {
  readonly name: "real" | "embedded";
  readonly client: Client;
  readonly kubeconfigPath: string;
  /** How many stories are played at the same time. */
  readonly storiesMax: number;
  /** Variables of the operator's environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** The image of Locust: the real one there, its model here. */
export const locustImage = "docker.io/locustio/locust:2.47.0";
/** The image of the service that is put under load. */
export const nodeImage = "docker.io/library/node:20";

const tool = join(repository, "tools/kube/dist/main.js");
const run = promisify(execFile);

// Pods of many tests share two cores here, and the exporter is nowhere to be had: something that waits stands in for it.
const common = {
  POD_CPU_REQUEST: "10m",
  POD_MEM_REQUEST: "16Mi",
  POD_CPU_LIMIT: "",
  POD_EPHEMERAL_LIMIT: "",
  METRICS_EXPORTER_IMAGE: "docker.io/local/pause:1",
  METRICS_EXPORTER_IMAGE_PULL_POLICY: "IfNotPresent",
  METRICS_EXPORTER_CPU_REQUEST: "1m",
  METRICS_EXPORTER_MEM_REQUEST: "1Mi",
  // A machine with much else to do starts pods slowly, and that is no fault of theirs.
  POD_STARTUP_GRACE_SECONDS: "900",
};

/** A real Kubernetes with a node, and Locust from the package index in an image of our own making. */
export async function realSubject(): Promise<Subject> {
  const cluster = await startCluster({ need: "node" });
  try {
    // Made once, in about two minutes, and kept in the cache of this machine.
    const name = basename(dirname(cluster.kubeconfigPath));
    await run(process.execPath, [tool, "image", "base", "--install", "--name", name]);
    const client = await prepared(cluster.kubeconfigPath);
    return {
      name: "real",
      // Each has its own master and workers, and a Locust that starts keeps a core busy for a second.
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

/** The embedded cluster, whose pods are reached by way of its API server. */
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
  // There is no webhook that converts, so the old version cannot be served.
  const versions = crd.spec.versions.map((version) => ({ ...version, served: version.name !== "v1" }));
  await installKind(client, { ...crd, spec: { ...crd.spec, versions, conversion: { strategy: "None" } } });
  return client;
}
