import type { ServiceResolver } from "@homeostat/apiserver";
import type { Network } from "../node/network.ts";

/**
 * Returns the resolver of the Services of webhooks and aggregated API servers. It tries `own` first, then the network
 * of the simulated pods.
 */
export function clusterResolver(network: Pick<Network, "resolve">, own: ServiceResolver | undefined): ServiceResolver {
  return async (service) => {
    const { namespace, name, port } = service;
    const found = (await own?.(service)) ?? `service "${name}" not found`;
    if (typeof found !== "string") return found;
    return network.resolve(`${name}.${namespace}.svc`, port, namespace) ?? found;
  };
}
