import { type Cluster, type ClusterNodeOptions, startCluster } from "@homeostat/cluster";
import { locustModel } from "@homeostat/locust-operator/app-model";
import { silentLogger, textLogger } from "@homeostat/runtime";
import { redisModel } from "@homeostat/tenant-operator/app-model";
import type { ClusterArguments } from "./arguments.ts";
import { kubeconfigPlace } from "./kubeconfig-place.ts";
import { runCommand } from "./run-command.ts";

/** What a command uses of the process around it. */
export interface Surroundings {
  /** Writes a line for people. */
  readonly print: (line: string) => void;
  /** Aborts when the command is to stop. */
  readonly signal: AbortSignal;
}

/** Runs a cluster until the signal aborts, or until the command that was given ends. Returns the exit code. */
export async function clusterCommand(wanted: ClusterArguments, { print, signal }: Surroundings): Promise<number> {
  const log = wanted.isVerbose ? textLogger() : silentLogger;
  await using cluster = await startCluster({
    ...wanted,
    log,
    nodes: nodesOf(wanted.nodes),
    models: [locustModel, redisModel],
    onError: (error) => print(`warning: ${error instanceof Error ? error.message : String(error)}`),
  });
  await using place = await kubeconfigPlace(wanted.kubeconfig);
  await cluster.writeKubeconfig(place.path);
  if (wanted.command.length > 0) return await runCommand(wanted.command, place.path, signal);
  for (const line of greeting(cluster, wanted, place.path)) print(line);
  await aborted(signal);
  print("Stopping.");
  return 0;
}

function nodesOf(count: number): ClusterNodeOptions[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? {} : { name: `homeostat-node-${index + 1}` }));
}

function greeting({ url }: Cluster, { data, parts }: ClusterArguments, kubeconfig: string): string[] {
  const what = parts === "api" ? "A Kubernetes API server" : "A Kubernetes with simulated nodes";
  return [
    `${what} at ${url}; its state is in ${data === undefined ? "memory, and gone when it stops" : data}.`,
    "",
    `  export KUBECONFIG=${quoted(kubeconfig)}`,
    "",
    "Ctrl-C stops it.",
  ];
}

/** A word as a shell reads it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
