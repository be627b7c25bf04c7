import { createClient } from "@homeostat/client";
import { serveOnLoopback } from "@homeostat/dashboard";
import { loadCluster } from "../load-cluster.ts";
import type { DashboardArguments } from "./arguments.ts";

/** Parts of the process that the command uses. */
export interface DashboardContext {
  /** Writes a line to standard output. */
  readonly print: (line: string) => void;
  /** Writes a line to standard error. */
  readonly printError: (line: string) => void;
  /** Aborted to stop the command. */
  readonly signal: AbortSignal;
}

/** Serves the dashboard of a cluster on the loopback interface until the signal aborts. Returns the exit code. */
export async function dashboardCommand(
  { kubeconfig, context, port }: DashboardArguments,
  { print, printError, signal }: DashboardContext,
): Promise<number> {
  const connection = await loadCluster({ kubeconfig, context });
  using client = createClient(connection, { userAgent: "homeostat-dashboard" });
  // An unreachable cluster is reported here, and not by a page without data.
  const { gitVersion } = await client.version({ signal });
  await using dashboard = await serveOnLoopback({
    client,
    connection,
    port,
    // Files of the package of the dashboard; the published program has a copy of them.
    assets: new URL(".", import.meta.resolve("#page/index.html")),
    onError: (error) => printError(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  });
  print(`Dashboard of Kubernetes ${gitVersion} at ${connection.server}`);
  print("");
  print(`  ${dashboard.url}`);
  print("");
  print("The link works once and only on this machine. Press Ctrl-C to stop.");
  await aborted(signal);
  print("Stopping.");
  return 0;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
