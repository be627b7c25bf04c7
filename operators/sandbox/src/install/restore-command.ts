// The command that restores all Services, before the operator is uninstalled.

import { parseArgs } from "node:util";
import { type Client, createClient, loadConnection, ServerClock, withServerClock } from "@homeostat/client";
import { type Clock, parseOptions } from "@homeostat/core";
import type { UninstallStep } from "@homeostat/operator";
import { restoreAccess, restoreAllServices } from "../reconcile/restore-services.ts";

/** The first word of the command line that selects the command. */
export const restoreCommandName = "restore-services";

/**
 * Restores all Services before the operator is uninstalled. Otherwise they would keep selecting proxies that are no longer
 * managed.
 */
export const uninstallStep: UninstallStep = {
  args: [restoreCommandName],
  help: "Restores all Services that send traffic to the routing proxy.",
  access: restoreAccess,
};

const help = `Usage: sandbox-operator ${restoreCommandName} [--watch-namespaces NAMES] [--kubeconfig FILE] [--context NAME]

Restores the selector and the target ports of all Services that lead to the routing proxy.
The operator does not take them over again for 10 minutes.
With --watch-namespaces, a list such as a,b, only Services of these namespaces are restored.
`;

/** Time for which the operator does not take the Services over again, so it can be removed. */
const holdMs = 600_000;

export interface RestoreCommandOptions {
  readonly argv: readonly string[];
  readonly print: (text: string) => void;
  readonly connect: (options: { readonly file?: string; readonly context?: string }) => Promise<RestoreConnection>;
}

/** A client and the clock of its API server. */
export interface RestoreConnection {
  readonly client: Client;
  readonly serverClock: Pick<Clock, "now">;
}

/** Connects as kubectl does, or with the ServiceAccount of the pod. */
export async function connectToCluster(
  options: { readonly file?: string; readonly context?: string },
  clock: Clock,
): Promise<RestoreConnection> {
  const serverClock = new ServerClock({ clock });
  const client = createClient(await loadConnection(options), { clock, layers: [withServerClock(serverClock)] });
  return { client, serverClock };
}

/** Restores all Services. Resolves with the exit code: 1 if any Service could not be restored. */
export async function restoreCommand({ argv, print, connect }: RestoreCommandOptions): Promise<number> {
  const options = {
    kubeconfig: { type: "string" },
    context: { type: "string" },
    "watch-namespaces": { type: "string" },
    help: { type: "boolean", short: "h" },
  } as const;
  const parse = () => parseArgs({ args: [...argv], options, allowPositionals: false });
  const { values } = parseOptions(parse, `See sandbox-operator ${restoreCommandName} --help.`);
  if (values.help === true) {
    print(help);
    return 0;
  }
  const { kubeconfig: file, context } = values;
  const connection = await connect({ ...(file !== undefined && { file }), ...(context !== undefined && { context }) });
  using client = connection.client;
  const namespaces = (values["watch-namespaces"] ?? "").split(",").filter((name) => name !== "");
  const { serverClock } = connection;
  const { restored, failed } = await restoreAllServices(client, { holdMs, serverClock, namespaces });
  for (const key of restored) print(`Restored Service ${key}\n`);
  for (const key of failed)
    print(`Could not restore Service ${key}: its original selector is unknown, or it changes\n`);
  if (restored.length === 0 && failed.length === 0) print("No Service is taken over\n");
  return failed.length === 0 ? 0 : 1;
}
