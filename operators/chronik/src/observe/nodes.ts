// Nodes are read by name, and only if the feature NodeDetails is on: without it, the operator has no permission to read them.

import type { DeepReadonly } from "homeostat";
import type { Clock } from "@homeostat/core";
import { Node } from "@homeostat/kubernetes/core/v1";
import type { Context } from "./kinds.ts";

export const zoneLabel = "topology.kubernetes.io/zone";

/** Facts about a node. */
export interface NodeDetails {
  readonly zone: string | undefined;
  /** Address for clients outside of the cluster. */
  readonly address: string | undefined;
}

/** Facts about nodes by name. Empty if the feature is off. */
export type NodesByName = ReadonlyMap<string, NodeDetails>;

/** Age after which a node is read again. Zones never change and addresses rarely do. */
const ageMaxMs = 600_000;

/** Number of nodes that are remembered. */
const countMax = 10_000;

/** Types of node addresses, those that clients outside of the cluster most likely reach first. */
const addressTypes = ["ExternalIP", "ExternalDNS", "InternalIP", "InternalDNS", "Hostname"] as const;

/** Reads nodes, and remembers them for some minutes. */
export class NodeReader {
  readonly #known = new Map<string, { readonly details: NodeDetails; readonly at: number }>();

  /** Returns the nodes with these names. A deleted node is missing. */
  async read(
    { client, signal, clock }: Pick<Context, "client" | "signal"> & { readonly clock: Pick<Clock, "monotonic"> },
    names: Iterable<string>,
  ): Promise<NodesByName> {
    const found = new Map<string, NodeDetails>();
    for (const name of new Set(names)) {
      const now = clock.monotonic();
      const known = this.#known.get(name);
      if (known !== undefined && now - known.at < ageMaxMs) {
        found.set(name, known.details);
        continue;
      }
      this.#known.delete(name);
      const node: DeepReadonly<Node> | undefined = await client.get(Node, { name }, { signal });
      if (node === undefined) continue;
      const details = detailsOf(node);
      if (this.#known.size < countMax) this.#known.set(name, { details, at: now });
      found.set(name, details);
    }
    return found;
  }

  /** Forgets all nodes, when this process stops leading. */
  clear(): void {
    this.#known.clear();
  }
}

function detailsOf({ metadata, status }: DeepReadonly<Node>): NodeDetails {
  const addresses = status?.addresses ?? [];
  const [address] = addressTypes.flatMap((addressType) => addresses.filter(({ type }) => type === addressType));
  return { zone: metadata.labels?.[zoneLabel], address: address?.address };
}
