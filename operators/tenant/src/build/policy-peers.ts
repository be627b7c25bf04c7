// How a rule of a tenant is said in the words of a network policy.

import type { DeepReadonly } from "@homeostat/core";
import type { NetworkPolicyPeer, NetworkPolicyPort } from "@homeostat/kubernetes/networking/v1";
import type { NetworkRule } from "../api/tenant.ts";
import type { Texts } from "./resolved-tenant.ts";

type Peer = DeepReadonly<NetworkPolicyPeer>;
type Port = DeepReadonly<NetworkPolicyPort>;

/** Every namespace carries its own name in this label, and nobody can change it there. */
const namespaceLabel = "kubernetes.io/metadata.name";

/** The pods of a namespace: all of them, or those with these labels. */
export function namespacePeer(namespace: string, podLabels: Texts = {}): Peer {
  return {
    namespaceSelector: { matchLabels: { [namespaceLabel]: namespace } },
    ...(Object.keys(podLabels).length > 0 && { podSelector: { matchLabels: podLabels } }),
  };
}

/** A block of addresses. */
export function blockPeer(cidr: string, except: readonly string[] = []): Peer {
  return { ipBlock: { cidr, ...(except.length > 0 && { except }) } };
}

/** Whom a rule is about. Both selectors are in one peer: in two, either would do. */
export function peersOf(rule: DeepReadonly<NetworkRule>, podLabels: Texts | undefined): Peer[] {
  const { namespaces = [], cidrs = [] } = rule;
  const hasLabels = podLabels !== undefined && Object.keys(podLabels).length > 0;
  const pods =
    namespaces.length > 0
      ? namespaces.map((namespace) => namespacePeer(namespace, podLabels))
      : hasLabels
        ? [{ podSelector: { matchLabels: podLabels } }]
        : [];
  return [...pods, ...cidrs.map(({ cidr, except }) => blockPeer(cidr, except))];
}

/** The ports of a rule; undefined for all. */
export function portsOf({ ports = [] }: DeepReadonly<NetworkRule>): Port[] | undefined {
  if (ports.length === 0) return undefined;
  return ports.map(({ protocol = "TCP", port, endPort }) => ({
    protocol,
    port,
    ...(endPort !== undefined && { endPort }),
  }));
}

/** Ports that are reached by TCP. */
export function tcp(...ports: readonly number[]): Port[] {
  return ports.map((port) => ({ protocol: "TCP", port }));
}
