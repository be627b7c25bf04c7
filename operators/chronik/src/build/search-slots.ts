// EndpointSlices that give search pods stable names. Pods of a Deployment have no ordinals, so the operator gives every ready pod a
// slot and publishes it under the headless Service of the search nodes.

import type { DeepReadonly } from "homeostat";
import type { Endpoint, EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { names, ports } from "../api/names.ts";
import { type ChildObject, metadataOf } from "./metadata.ts";
import type { ResolvedCluster } from "./resolve.ts";

/** The value of the label that keeps the controllers of Kubernetes from changing the slices. */
export const sliceManager = "chronik-operator.chronik.stream";

/** A ready search pod with its slot. */
export interface SearchSlot {
  readonly slot: number;
  readonly pod: string;
  readonly uid: string;
  readonly address: string;
  readonly node?: string | undefined;
  readonly zone?: string | undefined;
}

/** Builds the slices of the slots, one per address family that has pods. */
export function searchSlices(resolved: ResolvedCluster, slots: readonly SearchSlot[]): ChildObject<EndpointSlice>[] {
  return (["IPv4", "IPv6"] as const).flatMap((family) => {
    const own = slots.filter(({ address }) => address.includes(":") === (family === "IPv6"));
    const sorted = own.toSorted((a, b) => a.slot - b.slot);
    return sorted.length === 0 ? [] : [slice(resolved, family, sorted)];
  });
}

function slice(
  resolved: ResolvedCluster,
  addressType: "IPv4" | "IPv6",
  slots: readonly SearchSlot[],
): ChildObject<EndpointSlice> {
  const metadata = metadataOf(resolved, { name: names.searchSlots(resolved.name, addressType), component: "search" });
  return {
    metadata: {
      ...metadata,
      labels: {
        ...metadata.labels,
        "kubernetes.io/service-name": names.component(resolved.name, "search"),
        "endpointslice.kubernetes.io/managed-by": sliceManager,
      },
    },
    addressType,
    endpoints: slots.map((slot) => endpoint(resolved, slot)),
    ports: [
      { name: "grpc", port: ports.search, protocol: "TCP" },
      { name: "rest", port: ports.rest, protocol: "TCP" },
      { name: "metrics", port: ports.metrics, protocol: "TCP" },
    ],
  };
}

function endpoint({ name, namespace }: ResolvedCluster, each: SearchSlot): DeepReadonly<Endpoint> {
  return {
    addresses: [each.address],
    conditions: { ready: true, serving: true, terminating: false },
    hostname: names.member(name, "search", each.slot),
    ...(each.node !== undefined && { nodeName: each.node }),
    ...(each.zone !== undefined && { zone: each.zone }),
    targetRef: { kind: "Pod", namespace, name: each.pod, uid: each.uid },
  };
}
