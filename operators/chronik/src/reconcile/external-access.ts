// Addresses for clients outside of the Kubernetes cluster: those of load balancers, or of nodes with the port that a Service has on all nodes.

import type { DeepReadonly } from "homeostat";
import type { Service } from "@homeostat/kubernetes/core/v1";
import { names, ordinalOf, ports } from "../api/names.ts";
import type { NodesByName } from "../observe/nodes.ts";
import type { ObservedMember } from "../observe/observed.ts";
import type { ClusterContext } from "./cluster-context.ts";

/** The ingest nodes, and facts about the nodes that they run on. */
export interface IngestPlacement {
  readonly members: readonly ObservedMember[];
  readonly nodes: NodesByName;
}

/** Number of addresses in the status. Clients need a few to find the others. */
const addressesMax = 64;

/** Returns the external addresses of the Service that clients connect to first. */
export function bootstrapAddresses(
  { runtime: { owned }, name }: ClusterContext,
  { members, nodes }: IngestPlacement,
): readonly string[] {
  const ready = members.filter(({ readySince }) => readySince !== undefined);
  return addressesOf(owned.services.get(names.bootstrapService(name)), { members: ready, nodes });
}

/** Returns the external address of each ingest node that has one, by ordinal. */
export function externalAddresses(
  { runtime: { owned }, name, resolved }: ClusterContext,
  { members, nodes }: IngestPlacement,
): Readonly<Record<number, string>> {
  if (!resolved.network.externalAccess) return {};
  const found = owned.services.list().flatMap((service): [number, string][] => {
    const ordinal = ordinalOf(name, "ingest", service.metadata.name);
    if (ordinal === undefined) return [];
    const own = members.filter((member) => member.ordinal === ordinal);
    const [address] = addressesOf(service, { members: own, nodes });
    return address === undefined ? [] : [[ordinal, address]];
  });
  return Object.fromEntries(found);
}

/**
 * Returns the addresses of a Service, without duplicates.
 *
 * A node port forwards only to pods of the same node, because Services of clusters have the traffic policy Local. So the addresses are those of the nodes
 * on which these members run.
 */
export function addressesOf(
  service: DeepReadonly<Service> | undefined,
  { members, nodes }: IngestPlacement,
): readonly string[] {
  if (service?.spec?.type === "NodePort") {
    const port = service.spec.ports?.find(({ port: own }) => own === ports.kafka)?.nodePort;
    if (port === undefined) return [];
    return unique(members.map(({ node = "", hostIP }) => formatAddress(nodes.get(node)?.address ?? hostIP, port)));
  }
  const ingress = service?.status?.loadBalancer?.ingress ?? [];
  return unique(ingress.map(({ ip, hostname }) => formatAddress(hostname ?? ip, ports.kafka)));
}

function formatAddress(host: string | undefined, port: number): string | undefined {
  if (host === undefined || host === "") return undefined;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function unique(addresses: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(addresses.filter((address) => address !== undefined))].slice(0, addressesMax);
}
