import { type Client, type Connection, createClient, type CreateClientOptions } from "@homeostat/client";
import { startCluster } from "@homeostat/cluster";
import type { Operator } from "@homeostat/operator";
import { startOperator } from "@homeostat/testing";

/** An operator that is installed on an embedded API server. Disposing of it stops both. */
export interface InstalledOperator extends AsyncDisposable {
  /** A client of the cluster administrator. */
  readonly client: Client;
  /** Returns a client of another user, with the permissions that the test grants. */
  clientOf(user: string, group?: string, options?: Pick<CreateClientOptions, "onWarning">): Client;
  /** Returns the connection of another user, for programs that run as a process. */
  connectionOf(user: string, group?: string): Connection;
  /** The port of metrics on the loopback interface. */
  readonly metricsPort: number;
}

/** Applies the manifests of an operator to an embedded API server, and runs it with exactly their permissions, with its webhooks. */
export async function installOperator(operator: Operator, namespace: string): Promise<InstalledOperator> {
  const cluster = await startCluster({ parts: "api" });
  let onMetricsPort: (port: number) => void = () => undefined;
  const metricsPort = new Promise<number>((resolve) => (onMetricsPort = resolve));
  try {
    const started = await startOperator(cluster, operator, {
      namespace,
      run: { metricsBindAddress: "127.0.0.1:0" },
      metrics: { onListening: onMetricsPort },
    });
    // The mapper queries the server at most once a second and has cached the time before the CRDs were installed.
    await started.client.mapper.all({ isFresh: true });
    return {
      client: started.client,
      clientOf: (user, group = "people", options = {}) => createClient(cluster.transport({ user, group }), options),
      connectionOf: (user, group = "people") => cluster.connection({ user, group }),
      // The port is reported only for metrics over HTTPS, which not every operator serves by default.
      metricsPort: operator.installation.metricsSecure === true ? await metricsPort : 0,
      [Symbol.asyncDispose]: async () => {
        await started.stop();
        await cluster.stop();
      },
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}
