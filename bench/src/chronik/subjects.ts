import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { annotations, ChronikCluster, ChronikNodeGroup, chronikOperator } from "@homeostat/chronik-operator";
import { readPointer } from "@homeostat/core";
import { bundleWhole } from "@homeostat/dev/bundle-whole";
import { buildGoPeer, kubectl } from "@homeostat/kube";
import { operatorImage } from "@homeostat/operator-testing/image";
import type { BenchContext } from "../harness/interruptible.ts";
import { deploymentEnv } from "../operators/deployment-env.ts";
import { nodeFor } from "../peers/builds.ts";
import { controllers } from "./members.ts";
import { ProgramProcess } from "./program-process.ts";

/** Returns the namespace of the clusters of an operator. */
export function clusterNamespace(operator: string): string {
  return `clusters-${operator}`;
}

/** Options to start an operator. */
export interface StartOptions {
  readonly kubeconfig: string;
  /** Namespace of its lease. */
  readonly namespace: string;
  /** Folder of its log and of heap snapshots. */
  readonly folder: string;
  /** Port of its metrics on the loopback interface. */
  readonly metricsPort: number;
  /** Port at which components respond. */
  readonly componentPort: number;
}

/** An operator that is measured. */
export interface Subject {
  readonly name: string;
  /** API path of its clusters. */
  readonly path: string;
  /** Annotation whose new value triggers a reconcile without a change. */
  readonly trigger: string;
  /** Builds the program. */
  build(context: BenchContext): Promise<Program>;
  bodyOf(name: string): string;
  /** Reports whether a cluster is complete, ready, and reconciled in its latest generation. */
  isRunning(cluster: unknown): boolean;
}

/** An operator that has been built. */
export interface Program {
  /** Versions, for the results. */
  readonly version: string;
  installKinds(kubeconfig: string): Promise<void>;
  start(options: StartOptions): Promise<ProgramProcess>;
}

/** The Chronik operator, with search nodes in every cluster. */
export const chronik: Subject = {
  name: "chronik",
  path: `/apis/chronik.stream/v1alpha1/namespaces/${clusterNamespace("chronik")}/chronikclusters`,
  trigger: annotations.reconcileAt,
  async build(context) {
    const node = await nodeFor({ node: "newer" }, context);
    const entry = "chronik/program.js";
    const program = fileURLToPath(new URL("./operator.mjs", import.meta.url));
    await bundleWhole("bench", { entry, bundle: "chronik/operator.mjs" });
    const { env: imageEnv, entrypoint } = operatorImage("chronik");
    // Between the command and the file: flags of Node.
    const flags = entrypoint.slice(1, -1);
    return {
      version: `Node ${node.version}`,
      installKinds: async (kubeconfig) => {
        const items = [ChronikCluster.crd(), ChronikNodeGroup.crd()];
        await createObjects(kubeconfig, "-", JSON.stringify({ apiVersion: "v1", kind: "List", items }));
      },
      async start({ kubeconfig, namespace, folder, metricsPort, componentPort }) {
        const args = [
          `--kubeconfig=${kubeconfig}`,
          `--namespace=${namespace}`,
          "--leader-elect=true",
          `--metrics-bind-address=127.0.0.1:${metricsPort}`,
          "--metrics-secure=false",
          "--health-probe-bind-address=127.0.0.1:0",
        ];
        const heap = [`--diagnostic-dir=${folder}`, "--heapsnapshot-signal=SIGUSR2"];
        return ProgramProcess.start({
          command: [node.path, ...flags, ...heap, program, String(componentPort), ...args],
          env: { PATH: process.env["PATH"], POD_NAME: "bench", ...imageEnv, ...deploymentEnv(chronikOperator()) },
          folder,
          startedText: "Became leader",
          signal: context.signal,
        });
      },
    };
  },
  bodyOf: (name) =>
    JSON.stringify({
      apiVersion: "chronik.stream/v1alpha1",
      kind: "ChronikCluster",
      metadata: { name },
      spec: { controllers, ingestNodes: 3, searchNodes: 1, storage: {}, metastore: { database: "embedded" } },
    }),
  isRunning: (cluster) =>
    readPointer(cluster, "/status/phase") === "Running" &&
    readPointer(cluster, "/status/observedGeneration") === readPointer(cluster, "/metadata/generation"),
};

const rabbitmqSource = fileURLToPath(new URL("../../peers/rabbitmq-cluster-operator/", import.meta.url));

/** RabbitMQ cluster-operator, the most similar operator: it manages a StatefulSet whose members form a cluster. */
export const rabbitmq: Subject = {
  name: "rabbitmq",
  path: `/apis/rabbitmq.com/v1beta1/namespaces/${clusterNamespace("rabbitmq")}/rabbitmqclusters`,
  // The operator copies annotations to all objects, except those of Kubernetes itself.
  trigger: "bench.k8s.io/reconcile-at",
  async build(context) {
    const options = { source: rabbitmqSource, name: "bench-rabbitmq-cluster-operator" };
    const { path, compiler } = await buildGoPeer({ ...options, ...context });
    const [, version = "?"] =
      /cluster-operator\/v2 (v\S+)/.exec(readFileSync(join(rabbitmqSource, "go.mod"), "utf8")) ?? [];
    return {
      version: `cluster-operator ${version}, ${compiler}`,
      async installKinds(kubeconfig) {
        const module = "github.com/rabbitmq/cluster-operator/v2";
        const list = ["list", "-m", "-f", "{{.Dir}}", module];
        const folder = execFileSync("go", list, { cwd: rabbitmqSource, encoding: "utf8" }).trim();
        await createObjects(kubeconfig, join(folder, "config/crd/bases/rabbitmq.com_rabbitmqclusters.yaml"));
      },
      async start({ kubeconfig, namespace, folder, metricsPort }) {
        const metrics = `--metrics-bind-address=127.0.0.1:${metricsPort}`;
        return ProgramProcess.start({
          command: [path, `--kubeconfig=${kubeconfig}`, `--namespace=${namespace}`, metrics],
          env: process.env,
          folder,
          startedText: "Starting workers",
          releaseSignal: "SIGUSR1",
          signal: context.signal,
        });
      },
    };
  },
  bodyOf: (name) =>
    JSON.stringify({
      apiVersion: "rabbitmq.com/v1beta1",
      kind: "RabbitmqCluster",
      metadata: { name },
      spec: { replicas: 3 },
    }),
  isRunning(cluster) {
    const conditions: unknown = readPointer(cluster, "/status/conditions");
    const isTrue = (type: string): boolean =>
      Array.isArray(conditions) &&
      conditions.some((one) => readPointer(one, "/type") === type && readPointer(one, "/status") === "True");
    return (
      ["AllReplicasReady", "ClusterAvailable", "ReconcileSuccess"].every(isTrue) &&
      readPointer(cluster, "/status/observedGeneration") === readPointer(cluster, "/metadata/generation")
    );
  },
};

/** Creates the objects of a file, or of standard input for `-`. */
async function createObjects(kubeconfig: string, file: string, input = ""): Promise<void> {
  const words = ["--kubeconfig", kubeconfig, "create", "-f", file];
  execFileSync(await kubectl(), words, { input, stdio: ["pipe", "ignore", "inherit"] });
}
