// The transport `kube`: a port-forward of the API server to a pod of the tunnel server, for clusters whose tunnel server has no address outside.

import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import type { Random } from "@homeostat/core";
import { Pod } from "@homeostat/kubernetes/core/v1";
import { systemNamespace, tunnelName, tunnelPorts } from "@homeostat/sandbox-operator";
import { openPortForward } from "@homeostat/tunnel";
import type { Cluster } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";

/** Address of the tunnel server inside of the cluster. */
export const clusterAddress: string = `${tunnelName}.${systemNamespace}.svc:${tunnelPorts.clients}`;

/** Opens a connection to a ready pod of the tunnel server. You need permission to list pods and to create `pods/portforward` in its namespace. */
export async function forwardToServer(
  { client, dial }: Cluster,
  { random, signal }: { readonly random: Random; readonly signal: AbortSignal },
): Promise<Duplex> {
  const namespace = systemNamespace;
  const labelSelector = `app.kubernetes.io/name=${tunnelName}`;
  const { items } = await client.list(Pod, { namespace, labelSelector, signal });
  const ready = items.filter(isReady);
  const pod = ready[Math.floor(random.next() * ready.length)];
  if (pod === undefined) {
    throw new CommandError(
      `none of the ${items.length} pods of the tunnel server is ready; see kubectl get pods -n ${namespace} -l ${labelSelector}`,
      exitCodes.error,
    );
  }
  const { socket, host, pathPrefix, headers } = await dial(signal);
  try {
    const { name = "" } = pod.metadata;
    return await openPortForward({
      connection: socket,
      host,
      pathPrefix,
      headers,
      pod: { namespace, name, port: tunnelPorts.clients },
      randomBytes,
      signal,
    });
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function isReady({ metadata, status }: Pod): boolean {
  const ready = (status?.conditions ?? []).find(({ type }) => type === "Ready");
  return metadata.deletionTimestamp === undefined && ready?.status === "True";
}
