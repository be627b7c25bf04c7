import { type Cluster, type ClusterNodeOptions, startCluster } from "@homeostat/cluster";
import { silentLogger, textLogger } from "@homeostat/runtime";
import { appModels } from "./app-models.ts";
import type { ClusterArguments } from "./arguments.ts";
import { kubeconfigFile } from "./kubeconfig-file.ts";
import { runCommand } from "./run-command.ts";

/** Parts of the process that a command uses. */
export interface RunContext {
  /** Writes a line to standard output. */
  readonly print: (line: string) => void;
  /** Aborted to stop the command. */
  readonly signal: AbortSignal;
}

/** Runs a cluster until the signal aborts or, with a command, until the command exits. Returns the exit code. */
export async function clusterCommand(args: ClusterArguments, { print, signal }: RunContext): Promise<number> {
  const log = args.isVerbose ? textLogger() : silentLogger;
  await using cluster = await startCluster({
    ...args,
    log,
    nodes: nodesOf(args.nodes),
    models: appModels,
    onError: (error) => print(`warning: ${error instanceof Error ? error.message : String(error)}`),
  });
  await using kubeconfig = await kubeconfigFile(args.kubeconfig);
  await cluster.writeKubeconfig(kubeconfig.path);
  if (args.command.length > 0) return await runCommand(args.command, kubeconfig.path, signal);
  for (const line of greeting(cluster, args, kubeconfig.path)) print(line);
  await aborted(signal);
  print("Stopping.");
  return 0;
}

function nodesOf(count: number): ClusterNodeOptions[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? {} : { name: `homeostat-node-${index + 1}` }));
}

function greeting({ url }: Cluster, { data, parts }: ClusterArguments, kubeconfig: string): string[] {
  const what = parts === "api" ? "Kubernetes API server" : "Kubernetes with simulated nodes";
  return [
    `${what} running at ${url}`,
    data === undefined ? "State is kept in memory and lost on exit." : `State is kept in ${data}.`,
    "",
    `  export KUBECONFIG=${quoted(kubeconfig)}`,
    "",
    "Press Ctrl-C to stop.",
  ];
}

/** Quotes a word for a POSIX shell, if it needs quoting. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
