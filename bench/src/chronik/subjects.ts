import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { annotations, ChronikCluster, ChronikNodeGroup } from "@homeostat/chronik-operator";
import { readPointer } from "@homeostat/core";
import { buildGoPeer, kubectl } from "@homeostat/kube";
import type { BenchContext } from "../harness/interruptible.ts";
import { OperatorProcess } from "../operators/operator-process.ts";
import { bundleProgram, nodeFor } from "../peers/builds.ts";
import { threadSeconds, type Usage, usageOf } from "../peers/proc.ts";
import { until } from "../peers/time.ts";
import { controllers } from "./members.ts";

/** Namespace of the clusters. */
export const clusterNamespace = "clusters";

/** Options to start an operator. */
export interface StartOptions {
  readonly kubeconfig: string;
  /** Namespace of its lease. */
  readonly namespace: string;
  readonly log: string;
  /** Port of its metrics on the loopback interface. */
  readonly metricsPort: number;
  /** Port at which components respond. */
  readonly componentPort: number;
}

/** A running operator. */
export interface RunningSubject extends AsyncDisposable {
  usage(): Usage;
  /** Returns free memory to the system, if the program does not do so by itself at rest. */
  releaseMemory(): void;
  /** Writes a heap snapshot and returns the memory usage, if it runs on Node. */
  readonly heap?: OperatorProcess["heap"];
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
  start(options: StartOptions): Promise<RunningSubject>;
}

/** The Chronik operator, with search nodes in every cluster. */
export const chronik: Subject = {
  name: "chronik",
  path: `/apis/chronik.stream/v1alpha1/namespaces/${clusterNamespace}/chronikclusters`,
  trigger: annotations.reconcileAt,
  async build(context) {
    const node = await nodeFor({ node: "newer" }, context);
    const program = await bundleProgram(new URL("./program.js", import.meta.url), "chronik-operator.mjs");
    return {
      version: `Node ${node.version}`,
      installKinds: async (kubeconfig) => {
        const items = [ChronikCluster.crd(), ChronikNodeGroup.crd()];
        await createObjects(kubeconfig, "-", JSON.stringify({ apiVersion: "v1", kind: "List", items }));
      },
      async start({ kubeconfig, namespace, log, metricsPort, componentPort }) {
        const args = [`127.0.0.1:${metricsPort}`, String(componentPort)];
        const started = { operator: "chronik", node: node.path, program, kubeconfig, namespace, log, args };
        const operator = new OperatorProcess(started);
        await operator.ready();
        return {
          usage: () => operator.usage(),
          // It does so by itself.
          releaseMemory: () => undefined,
          heap: (path) => operator.heap(path),
          [Symbol.asyncDispose]: () => operator[Symbol.asyncDispose](),
        };
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
  path: `/apis/rabbitmq.com/v1beta1/namespaces/${clusterNamespace}/rabbitmqclusters`,
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
      async start({ kubeconfig, namespace, log, metricsPort }) {
        const file = openSync(log, "w", 0o600);
        const metrics = `--metrics-bind-address=127.0.0.1:${metricsPort}`;
        const args = [`--kubeconfig=${kubeconfig}`, `--namespace=${namespace}`, metrics];
        const child = spawn(path, args, { stdio: ["ignore", file, file] });
        closeSync(file);
        const running = new GoProcess(child);
        await until(() => running.hasStarted(log), {
          everyMs: 50,
          timeoutMs: 120_000,
          signal: context.signal,
          what: "the start of cluster-operator",
        });
        return running;
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

class GoProcess implements RunningSubject {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, "exit");
  }

  /** Reports whether its workers run. Throws when it has exited. */
  hasStarted(log: string): boolean {
    const text = readFileSync(log, "utf8");
    if (this.#child.exitCode !== null) throw new Error(`cluster-operator exited: ${text.slice(-1000)}`);
    return text.includes("Starting workers");
  }

  usage(): Usage {
    const pid = this.#child.pid ?? 0;
    return { ...usageOf(pid), cpuSeconds: threadSeconds(pid) };
  }

  releaseMemory(): void {
    this.#child.kill("SIGUSR1");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill("SIGTERM");
    await this.#ended;
  }
}

/** Creates the objects of a file, or of standard input for `-`. */
async function createObjects(kubeconfig: string, file: string, input = ""): Promise<void> {
  const words = ["--kubeconfig", kubeconfig, "create", "-f", file];
  execFileSync(await kubectl(), words, { input, stdio: ["pipe", "ignore", "inherit"] });
}
