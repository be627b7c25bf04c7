// The connection of a command to the cluster of the kubeconfig.

import {
  type Client,
  createClient,
  type Layer,
  loadConnection,
  openServerConnection,
  ServerClock,
  withServerClock,
} from "@homeostat/client";
import { ForbiddenError, systemClock } from "@homeostat/core";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import {
  configMapName,
  defaultConfig,
  describeConfigProblems,
  type OperatorConfig,
  parseConfig,
  systemNamespace,
} from "@homeostat/sandbox-operator";
import type { Cluster, CommandContext } from "./context.ts";
import type { ConnectionArguments } from "./input.ts";

/** Connects with the kubeconfig that kubectl would use. */
export async function connect(
  { kubeconfig, context, namespace, isVerbose }: ConnectionArguments,
  note: (line: string) => void,
): Promise<Cluster> {
  const connection = await loadConnection({
    ...(kubeconfig !== undefined && { file: kubeconfig }),
    ...(context !== undefined && { context }),
  });
  const serverClock = new ServerClock({ clock: systemClock });
  const client = createClient(connection, {
    onWarning: ({ text }) => note(`warning: ${text}`),
    layers: [withServerClock(serverClock), ...(isVerbose ? [requestNotes(note)] : [])],
  });
  return {
    client,
    namespace: namespace ?? connection.namespace ?? "default",
    serverClock,
    dial: (signal) => openServerConnection(connection, { signal }),
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
}

/** Returns a layer that prints each request and its status. Bodies and headers are omitted: they may contain secrets. */
function requestNotes(note: (line: string) => void): Layer {
  return (next) => ({
    send: async (request) => {
      const { method, path } = request;
      const response = await next.send(request);
      note(`${method} ${path} ${response.status}`);
      return response;
    },
  });
}

/**
 * Reads the configuration of the operator. Users may not be allowed to read it; the defaults count then, with a note, because limits
 * such as the longest lifetime may differ.
 */
export async function readConfig(client: Client, { note, signal }: CommandContext): Promise<OperatorConfig> {
  const place = `ConfigMap ${systemNamespace}/${configMapName}`;
  try {
    const found = await client.get(ConfigMap, { namespace: systemNamespace, name: configMapName }, { signal });
    const text = found?.data?.["config.yaml"];
    if (text === undefined) return defaultConfig;
    const parsed = parseConfig(text);
    if ("config" in parsed) return parsed.config;
    note(`note: ${place} is not valid, so the defaults are used: ${describeConfigProblems(parsed.problems)}`);
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error;
    note(`note: you cannot get ${place}, so the default configuration of the operator is used`);
  }
  return defaultConfig;
}
