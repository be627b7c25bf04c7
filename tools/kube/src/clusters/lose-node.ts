import { basename, dirname } from "node:path";
import { lockCluster } from "./down.ts";
import { ClusterStateError } from "../errors.ts";
import { nodeLayouts } from "../records/layout.ts";
import type { Environment } from "../cache/paths.ts";
import { stopAll } from "../control-plane/processes.ts";
import { readRecord, writeRecord } from "../records/state.ts";

/** Programs of a node. */
const programs = ["machine", "machine-init", "containerd", "kubelet", "kube-proxy", "coredns"];

/** Options of {@link loseNode}. */
export interface LoseNodeOptions {
  /** Kubeconfig of a cluster that this tool started. */
  readonly kubeconfigPath: string;
  /** Name of the node. The first one cannot be lost: its network has the address of the API server. */
  readonly node: string;
  readonly env?: Environment;
  readonly signal?: AbortSignal;
}

/**
 * Ends all processes of a node at once, with all containers, as a power failure does.
 *
 * When the first process of a machine ends, the kernel ends all others of its PID namespace. The veth pair ends with the network of the
 * machine, so packets to the node are lost. The Node object stays, as it does when a machine of a user is lost.
 */
export async function loseNode({ kubeconfigPath, node, env = process.env, signal }: LoseNodeOptions): Promise<void> {
  const cluster = basename(dirname(kubeconfigPath));
  const options = { env, signal, report: () => undefined };
  await lockCluster(cluster, options, async () => {
    const record = readRecord(options.env, cluster);
    const [, ...others] = record === undefined ? [] : nodeLayouts(record);
    const layout = others.find(({ name }) => name === node);
    if (record === undefined || layout === undefined) {
      const possible = others.map(({ name }) => name).join(", ") || "none";
      throw new ClusterStateError(`Cluster ${cluster} has no node ${node} that can be lost. Possible: ${possible}.`);
    }
    const components = new Set(programs.map((program) => `${program}${layout.suffix}`));
    await stopAll(
      record.processes.filter(({ component }) => components.has(component)),
      0,
    );
    writeRecord(options.env, {
      ...record,
      processes: record.processes.filter(({ component }) => !components.has(component)),
    });
  });
}
