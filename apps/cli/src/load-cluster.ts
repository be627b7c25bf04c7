import { type Connection, loadConnection } from "@homeostat/client";

/** The cluster that a command line names. */
export interface ClusterChoice {
  /** File of the kubeconfig; undefined finds it as kubectl does. */
  readonly kubeconfig: string | undefined;
  /** Undefined for the current context. */
  readonly context: string | undefined;
}

/** Returns the connection to the cluster that a command line names. */
export function loadCluster({ kubeconfig, context }: ClusterChoice): Promise<Connection> {
  return loadConnection({
    ...(kubeconfig === undefined ? {} : { file: kubeconfig }),
    ...(context === undefined ? {} : { context }),
  });
}
