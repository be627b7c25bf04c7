import type { ClientIdentity } from "@homeostat/apiserver";
import type { Client } from "@homeostat/client";
import type { Network } from "../node/network.ts";
import { type SimulatedNode, startNode } from "./start-node.ts";
import { type ControlPlaneParts, runControlPlane } from "./control-plane.ts";
import type { ClusterNodeOptions } from "./start-cluster.ts";

/** Dependencies of {@link runComponents}. */
export interface ComponentParts {
  readonly controlPlane: Omit<ControlPlaneParts, "client">;
  /** Returns a client of the API server with an identity. */
  readonly client: (identity: ClientIdentity) => Client;
  readonly nodes: readonly ClusterNodeOptions[];
  readonly network: Network;
  /** Called for each node that has started. */
  readonly onNodeStarted: (node: SimulatedNode) => void;
  /** Called with each error. */
  readonly onError: (error: unknown) => void;
}

const managerIdentity: ClientIdentity = { user: "system:kube-controller-manager", group: "system:masters" };

/** Runs the controllers and starts the nodes of a cluster. Settles when the signal has aborted; never rejects. */
export async function runComponents(parts: ComponentParts, signal: AbortSignal): Promise<void> {
  const { controlPlane, client, nodes, network, onNodeStarted, onError } = parts;
  const { clock, random, log } = controlPlane;
  if (signal.aborted) return;
  const start = async (node: ClusterNodeOptions): Promise<void> => {
    const { name = "homeostat-node" } = node;
    const identity = { user: `system:node:${name}`, group: "system:masters" };
    onNodeStarted(await startNode({ ...node, name, server: client(identity), clock, random, log, network }));
  };
  await Promise.all([
    runControlPlane({ ...controlPlane, client: client(managerIdentity) }, signal).catch(onError),
    ...nodes.map((node) =>
      start(node).catch((error: unknown) => {
        if (!signal.aborted) onError(error);
      }),
    ),
  ]);
}
