// A real node with a ChronikCluster of real Kafka, and the operator as a process that stories can kill.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ChronikCluster, type ChronikClusterInput, ChronikNodeGroup } from "@homeostat/chronik-operator";
import { Client } from "@homeostat/client";
import { kubectl, run } from "@homeostat/kube";
import { Namespace, PersistentVolume, Pod, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { startCluster } from "../../../harness/cluster.ts";
import { hostPathVolume } from "../../../harness/host-path-volume.ts";
import { installKind } from "../../../harness/install-kind.ts";
import { OperatorProcess } from "../../../harness/operator-process.ts";
import { Certificates } from "./certificates.ts";
import { importKafka, kafkaImage } from "./images.ts";
import { Judge } from "./judge.ts";
import { Members } from "./members.ts";

const patienceMs = 600_000;
const pollMs = 250;
/** Volumes for five controllers and four ingest nodes. */
const volumes = 9;

const tlsSecret = "certificates";

/** Name of the cluster of all stories. */
export const clusterName = "kafka";

/** Options of {@link KafkaStage.open}. */
export interface KafkaStageOptions {
  /** Members and clients use mutual TLS. */
  readonly hasTls: boolean;
  readonly nodes: number;
}

/** One cluster on one node or several. */
export class KafkaStage {
  readonly client: Client;
  readonly operator: OperatorProcess;
  /** Unique on this machine: the processes of pods are found by it. */
  readonly namespace: string;
  readonly members: Members = new Members();
  /** The certificates of a cluster with TLS. */
  readonly certificates: Certificates | undefined;
  readonly kubeconfigPath: string;
  readonly #close: () => Promise<void>;
  readonly #folder: string;

  private constructor(parts: {
    readonly client: Client;
    readonly kubeconfigPath: string;
    readonly operator: OperatorProcess;
    readonly namespace: string;
    readonly folder: string;
    readonly certificates: Certificates | undefined;
    readonly close: () => Promise<void>;
  }) {
    this.client = parts.client;
    this.kubeconfigPath = parts.kubeconfigPath;
    this.operator = parts.operator;
    this.namespace = parts.namespace;
    this.#folder = parts.folder;
    this.certificates = parts.certificates;
    this.#close = parts.close;
  }

  /** Starts the nodes, imports the image, and starts the operator. */
  static async open({ hasTls, nodes }: KafkaStageOptions): Promise<KafkaStage> {
    const cluster = await startCluster({ need: "node", nodes });
    const folder = mkdtempSync(join(tmpdir(), "homeostat-kafka-"));
    const life = new AbortController();
    const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true }), () => cluster.stop()];
    const close = async (): Promise<void> => {
      life.abort();
      for (const end of ends.toReversed()) await end();
    };
    try {
      const { kubeconfigPath } = cluster;
      await importKafka(kubeconfigPath);
      const client = await Client.fromKubeconfig({
        file: kubeconfigPath,
        defaults: { fieldManager: "a-user" },
      });
      ends.push(() => client.close());
      for (let index = 0; index < volumes; index += 1)
        await client.create(PersistentVolume, hostPathVolume(folder, index));
      await installKind(client, ChronikCluster.crd());
      await installKind(client, ChronikNodeGroup.crd());
      const namespace = `kafka-${process.pid}`;
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      const domain = `${namespace}.svc.cluster.local`;
      const hosts = [`*.${clusterName}-controller`, `*.${clusterName}-ingest`, `${clusterName}-ingest-bootstrap`];
      const named = hosts.map((host) => `${host}.${domain}`);
      const certificates = hasTls
        ? new Certificates({ client, namespace, secret: tlsSecret, hosts: named })
        : undefined;
      await certificates?.create();
      const operator = new OperatorProcess({
        operator: "chronik",
        kubeconfigPath,
        flags: ["--leader-elect=false", "--resync-seconds", "5"],
      });
      ends.push(() => operator.stop());
      const stage = new KafkaStage({ client, kubeconfigPath, operator, namespace, folder, certificates, close });
      await stage.eventually("the default service account", () =>
        client.get(ServiceAccount, { namespace, name: "default" }),
      );
      const following = stage.members.follow(client, namespace, life.signal);
      ends.push(() => following);
      return stage;
    } catch (error) {
      await close();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  /** Creates the cluster. */
  async create(): Promise<void> {
    const security = { tlsEnabled: true, mtlsEnabled: true, tlsSecret };
    const spec = { ...commonSpec, ...(this.certificates !== undefined && { security }) };
    const cluster = ChronikCluster.make({ metadata: { namespace: this.namespace, name: clusterName }, spec });
    const path = `/apis/chronik.stream/v1alpha1/namespaces/${this.namespace}/chronikclusters`;
    const headers = { "content-type": "application/json" };
    (await this.client.raw({ method: "POST", path, headers, body: JSON.stringify(cluster) })).body.cancel();
  }

  async cluster(): Promise<ChronikCluster | undefined> {
    return this.client.get(ChronikCluster, { namespace: this.namespace, name: clusterName });
  }

  /** Changes the spec of the cluster. */
  async change(change: object): Promise<void> {
    await this.client.patch(
      ChronikCluster,
      { namespace: this.namespace, name: clusterName },
      { merge: { spec: change } },
    );
  }

  /** Deletes the cluster, and waits until it is gone. */
  async delete(): Promise<void> {
    await this.client.delete(ChronikCluster, { namespace: this.namespace, name: clusterName });
    await this.eventually("the deletion of the cluster", async () =>
      (await this.cluster()) === undefined ? true : undefined,
    );
  }

  /** Returns the number of partitions with a replica on an ingest node, as it reports them. */
  async partitions(pod: string): Promise<number> {
    return this.eventually(`the partitions of ${pod}`, async () => {
      const found = await this.client.get(Pod, { namespace: this.namespace, name: pod });
      const url = `http://${found?.status?.podIP ?? ""}:8081/drain`;
      const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
      // A busy broker responds with 503.
      if (response.status !== 200) return undefined;
      const { partitions } = (await response.json()) as { readonly partitions: number };
      return partitions;
    });
  }

  /** Waits until the cluster satisfies a condition. */
  async until(what: string, isWanted: (cluster: ChronikCluster) => boolean): Promise<ChronikCluster> {
    return this.eventually(what, async () => {
      const cluster = await this.cluster();
      return cluster !== undefined && isWanted(cluster) ? cluster : undefined;
    });
  }

  /** Waits until the cluster is Running with the present spec. */
  async untilRunning(): Promise<ChronikCluster> {
    return this.until("Running", isRunning);
  }

  /** Starts a judge with a topic of its own. */
  async judge(name: string): Promise<Judge> {
    const { bootstrapServers = "" } = (await this.untilRunning()).status ?? {};
    return Judge.start(this.client, {
      namespace: this.namespace,
      name,
      bootstrapServers,
      tlsSecret: this.certificates === undefined ? undefined : tlsSecret,
      eventually: (what, look) => this.eventually(what, look),
    });
  }

  /** Runs kubectl, and returns its output. */
  async kubectl(...words: readonly string[]): Promise<string> {
    return run(await kubectl(), ["--kubeconfig", this.kubeconfigPath, ...words]);
  }

  /** Kills the first process of a pod, and with it its container, with SIGKILL. */
  async kill(pod: string): Promise<void> {
    const variables = [`POD_NAME=${pod}`, `POD_NAMESPACE=${this.namespace}`];
    const pids = readdirSync("/proc").filter((name) => {
      if (!/^\d+$/.test(name)) return false;
      try {
        const environment = readFileSync(`/proc/${name}/environ`, "utf8").split("\0");
        const isAdapter = readFileSync(`/proc/${name}/cmdline`, "utf8").includes("/app/adapter/main.js");
        return isAdapter && variables.every((variable) => environment.includes(variable));
      } catch {
        // The process has ended.
        return false;
      }
    });
    if (pids.length === 0) throw new Error(`the pod ${pod} has no process`);
    for (const pid of pids) process.kill(Number(pid), "SIGKILL");
  }

  /** Polls until `look` returns a value. */
  async eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    const end = Date.now() + patienceMs;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (Date.now() > end) throw await this.#tooLate(what);
      await sleep(pollMs);
    }
  }

  async #tooLate(what: string): Promise<Error> {
    const status = JSON.stringify((await this.cluster())?.status, undefined, 1);
    return new Error(
      `timed out waiting for ${what}; volumes are in ${this.#folder}\n${status}\nThe operator:\n${this.operator.log}`,
    );
  }
}

/** Reports whether a cluster is Running with its present spec. */
export function isRunning({ metadata, status }: ChronikCluster): boolean {
  return status?.phase === "Running" && status.observedGeneration === metadata.generation;
}

const probes = {
  startup: { periodSeconds: 1, failureThreshold: 600 },
  readiness: { initialDelaySeconds: 0, periodSeconds: 1, failureThreshold: 3 },
  // A busy machine can pause a process for seconds.
  liveness: { initialDelaySeconds: 60, periodSeconds: 10, failureThreshold: 12, timeoutSeconds: 10 },
};

const commonSpec: ChronikClusterInput["spec"] = {
  controllers: 3,
  ingestNodes: 3,
  image: { controller: kafkaImage, ingest: kafkaImage, pullPolicy: "Never" },
  storage: { size: "1Gi", storageClass: "" },
  metastore: { database: "embedded" },
  tuning: { replicationFactor: 3, minInsyncReplicas: 2 },
  updateStrategy: { restartDelaySeconds: 0, minReadySeconds: 1 },
  scaleDown: { timeoutSeconds: 60 },
  antiAffinity: "none",
  template: { controller: { probes }, ingest: { probes } },
};
