import { resolve } from "node:path";
import type { Connection } from "@homeostat/client";
import { startCluster } from "@homeostat/cluster";
import { silentLogger } from "@homeostat/runtime";
import { appModels } from "../app-models.ts";
import { kubeconfigFile } from "../kubeconfig-file.ts";
import { loadCluster } from "../load-cluster.ts";
import type { DevArguments } from "./arguments.ts";
import type { DevContext } from "./dev-context.ts";

/** The cluster of a session. */
export interface Target extends AsyncDisposable {
  readonly connection: Connection;
  /** File that the operator and kubectl use. */
  readonly kubeconfig: string | undefined;
  /** Address at which the API server reaches this machine; undefined if it does not. */
  readonly webhookHost: string | undefined;
  /** True if the cluster stays after the command. */
  readonly isExisting: boolean;
  readonly text: string;
}

/** Connects to the cluster that the command line names, or starts an embedded one. */
export async function openTarget(args: DevArguments, { print, env }: DevContext): Promise<Target> {
  const { kubeconfig, context, webhookHost, data } = args;
  if (kubeconfig !== undefined || context !== undefined) {
    const connection = await loadCluster({ kubeconfig, context });
    return {
      connection,
      kubeconfig: kubeconfig === undefined ? env["KUBECONFIG"] : resolve(kubeconfig),
      webhookHost,
      isExisting: true,
      text: `at ${connection.server}`,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
  const cluster = await startCluster({
    ...(data === undefined ? {} : { data }),
    log: silentLogger,
    models: appModels,
    onError: (error) => print(`warning: ${error instanceof Error ? error.message : String(error)}`),
  });
  const file = await kubeconfigFile(undefined);
  await cluster.writeKubeconfig(file.path);
  return {
    connection: cluster.connection(),
    kubeconfig: file.path,
    webhookHost: "127.0.0.1",
    isExisting: false,
    text:
      data === undefined ? "in this process, without a data directory" : `in this process, with its state in ${data}`,
    async [Symbol.asyncDispose]() {
      await file[Symbol.asyncDispose]();
      await cluster.stop();
    },
  };
}
