// The connection of a command to the cluster of the kubeconfig.

import { type Client, createClient, loadConnection } from "@homeostat/client";
import { ForbiddenError } from "@homeostat/core";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import {
  configMapName,
  defaultConfig,
  describeConfigProblems,
  type OperatorConfig,
  parseConfig,
  systemNamespace,
} from "@homeostat/sandbox-operator";
import type { ConnectionArguments } from "./connection-arguments.ts";

/** Parts of the process that commands use. */
export interface CommandContext {
  /** Writes a line to standard output. */
  readonly print: (line: string) => void;
  /** Writes a line to standard error. */
  readonly note: (line: string) => void;
  /** Returns the whole standard input. */
  readonly readInput: () => Promise<string>;
  /** Connects to the cluster. */
  readonly connect: (args: ConnectionArguments) => Promise<Cluster>;
  /** Aborted to stop the command, and at its time limit. */
  readonly signal: AbortSignal;
}

/** A cluster, and the namespace of objects that name none. */
export interface Cluster extends Disposable {
  readonly client: Client;
  readonly namespace: string;
}

/** Connects with the kubeconfig that kubectl would use. */
export async function connect({ kubeconfig, context, namespace }: ConnectionArguments): Promise<Cluster> {
  const connection = await loadConnection({
    ...(kubeconfig !== undefined && { file: kubeconfig }),
    ...(context !== undefined && { context }),
  });
  const client = createClient(connection);
  return {
    client,
    namespace: namespace ?? connection.namespace ?? "default",
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
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
