import { createClient, ServerClock, withServerClock } from "@homeostat/client";
import { HomeostatError, systemClock } from "@homeostat/core";
import { type ClusterChoice, loadCluster } from "../load-cluster.ts";
import type { DoctorArguments } from "./arguments.ts";
import { checkCluster } from "./cluster.ts";
import { type Finding, findingLines } from "./finding.ts";
import { type AskProgram, checkMachine } from "./machine.ts";

/** Parts of the process that the command uses. */
export interface DoctorContext {
  readonly print: (line: string) => void;
  readonly ask: AskProgram;
  readonly nodeVersion: string;
  readonly signal: AbortSignal;
}

/** Checks this machine and a cluster, and prints what was found. Returns the exit code: 1 if there is a problem. */
export async function doctorCommand(
  { kubeconfig, context, hasCluster }: DoctorArguments,
  { print, ask, nodeVersion, signal }: DoctorContext,
): Promise<number> {
  const machine = await checkMachine({ nodeVersion, ask });
  for (const line of findingLines({ about: "This machine", findings: machine })) print(line);
  if (!hasCluster) return exitCode(machine);
  print("");
  const cluster = await connectAndCheck({ kubeconfig, context }, signal);
  for (const line of findingLines({ about: "The cluster of the kubeconfig", findings: cluster })) print(line);
  return exitCode([...machine, ...cluster]);
}

async function connectAndCheck({ kubeconfig, context }: ClusterChoice, signal: AbortSignal): Promise<Finding[]> {
  let connection;
  try {
    connection = await loadCluster({ kubeconfig, context });
  } catch (error) {
    if (!(error instanceof HomeostatError)) throw error;
    // A cluster that was named must be there. Without one, the embedded cluster can be used.
    if (kubeconfig !== undefined || context !== undefined) return [{ state: "problem", text: error.message }];
    return [{ state: "note", text: `${error.message} Start a cluster with homeostat cluster.` }];
  }
  const serverClock = new ServerClock({ clock: systemClock });
  using client = createClient(connection, {
    userAgent: "homeostat-doctor",
    layers: [withServerClock(serverClock)],
  });
  const clockOffsetMs = (): number | undefined => serverClock.offsetMs;
  return await checkCluster({ client, server: connection.server, clockOffsetMs, signal });
}

function exitCode(findings: readonly Finding[]): number {
  return findings.some(({ state }) => state === "problem") ? 1 : 0;
}
