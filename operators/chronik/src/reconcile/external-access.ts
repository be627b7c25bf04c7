// Addresses for clients outside of the Kubernetes cluster, from the status of Services of type LoadBalancer.

import type { DeepReadonly } from "homeostat";
import type { Service } from "@homeostat/kubernetes/core/v1";
import { names, ordinalOf, ports } from "../api/names.ts";
import type { ClusterContext } from "./cluster-context.ts";

/** Returns the external addresses of the Service that clients connect to first. */
export function bootstrapAddresses({ runtime: { owned }, name }: ClusterContext): readonly string[] {
  return addressesOf(owned.services.get(names.bootstrapService(name)));
}

/** Returns the external address of each ingest node that has one, by ordinal. */
export function externalAddresses({
  runtime: { owned },
  name,
  resolved,
}: ClusterContext): Readonly<Record<number, string>> {
  if (!resolved.network.externalAccess) return {};
  const found = owned.services.list().flatMap((service): [number, string][] => {
    const ordinal = ordinalOf(name, "ingest", service.metadata.name);
    const [address] = addressesOf(service);
    return ordinal === undefined || address === undefined ? [] : [[ordinal, address]];
  });
  return Object.fromEntries(found);
}

function addressesOf(service: DeepReadonly<Service> | undefined): readonly string[] {
  return (service?.status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => {
    const host = hostname ?? ip;
    if (host === undefined || host === "") return [];
    return [host.includes(":") ? `[${host}]:${ports.kafka}` : `${host}:${ports.kafka}`];
  });
}
