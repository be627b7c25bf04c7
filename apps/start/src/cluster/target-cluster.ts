import type { Client, Connection } from "@homeostat/client";
import type { CreatedObject } from "./apply-all.ts";
import type { Operator, OperatorManagerOptions } from "@homeostat/operator";

/** The cluster that the operators run on: embedded, or an existing one. */
export interface TargetCluster extends AsyncDisposable {
  /** Description for the user, such as `Kubernetes v1.36.3, embedded`. */
  readonly title: string;
  readonly url: string;
  /** Path of a kubeconfig for other programs, such as kubectl. */
  readonly kubeconfig: string;
  /** A client with the permissions of the kubeconfig's user. */
  readonly client: Client;
  /** The connection of the client. */
  readonly connection: Connection;
  /** Maps a port of a pod to an address of this machine; undefined if the cluster is not embedded. */
  readonly addressOf?: ((ip: string, port: number) => LocalAddress | undefined) | undefined;
  /** Installs an operator's CRDs; on the embedded cluster also its RBAC objects and webhook configurations. */
  install(operator: Operator, signal: AbortSignal): Promise<void>;
  /** Returns the options of the operator's manager that depend on the cluster. */
  managerOptions(operator: Operator): ClusterManagerOptions;
  /** Deletes the created objects, and the CRDs that `install` created unless objects of their kinds remain. */
  cleanUp(
    created: readonly CreatedObject[],
    demos: readonly { readonly operator: Operator }[],
    signal: AbortSignal,
  ): Promise<void>;
}

/** An address of this machine. */
export interface LocalAddress {
  readonly host: string;
  readonly port: number;
}

/** Manager options that depend on the cluster. */
export interface ClusterManagerOptions extends Pick<OperatorManagerOptions, "run" | "webhooks"> {
  readonly connection: Connection;
}

/** Address of the health and debug pages of operators in this process: any free port. The dashboard reads them. */
export const debugAddress = "127.0.0.1:0";
