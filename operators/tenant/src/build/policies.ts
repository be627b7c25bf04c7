import type { DeepReadonly } from "@homeostat/core";
import type { NetworkPolicy, NetworkPolicySpec } from "@homeostat/kubernetes/networking/v1";
import { labels, ports } from "../api/identity.ts";
import type { NetworkRule } from "../api/tenant.ts";
import type { Wanted, WantedNetwork } from "./resolved-tenant.ts";
import { type Made, metadataOf, selectorOf } from "./objects.ts";
import { blockPeer, namespacePeer, peersOf, portsOf, tcp } from "./policy-peers.ts";

type Spec = DeepReadonly<NetworkPolicySpec>;

/** The policy that closes a tenant off. Everything else is an exception to it. */
export const denyAllName = "default-deny-all";

/** The network policies of a tenant, what forbids before what allows; none when the tenant is not closed off. */
export function networkPolicies(wanted: Wanted): Made<NetworkPolicy>[] {
  const { network } = wanted;
  if (network === undefined) return [];
  const standard: readonly (readonly [string, Spec | undefined])[] = [
    // That there are no rules is said, so that it is ours to say: a rule that somebody adds would open everything.
    [denyAllName, { podSelector: {}, policyTypes: ["Ingress", "Egress"], ingress: [], egress: [] }],
    ["allow-dns-egress", dnsEgress(network)],
    ["allow-internal-traffic", internalTraffic(wanted)],
    ["allow-api-access", apiAccess(wanted, network)],
    ["allow-auth-egress", authEgress(wanted, network)],
    ["allow-monitoring", monitoring(wanted, network)],
  ];
  return [
    ...standard.flatMap(([name, spec]) => (spec === undefined ? [] : [policy(wanted, { name, of: "default", spec })])),
    ...network.ingressRules.map((rule, index) =>
      policy(wanted, { name: `custom-ingress-${index}`, of: "custom", spec: customIngress(wanted, rule) }),
    ),
    ...network.egressRules.map((rule, index) =>
      policy(wanted, { name: `custom-egress-${index}`, of: "custom", spec: customEgress(wanted, rule) }),
    ),
  ];
}

function policy(
  wanted: Wanted,
  { name, of, spec }: { readonly name: string; readonly of: "default" | "custom"; readonly spec: Spec },
): Made<NetworkPolicy> {
  const metadata = metadataOf(wanted, { name, component: "network-policy" });
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { ...metadata, labels: { ...metadata.labels, [labels.policy]: of } },
    spec,
  };
}

function dnsEgress({ dns }: WantedNetwork): Spec {
  const to = [
    ...dns.namespaces.map((namespace) => namespacePeer(namespace, dns.podLabels)),
    ...dns.cidrs.map((cidr) => blockPeer(cidr)),
  ];
  const open = dns.ports.flatMap((port) => [
    { protocol: "UDP" as const, port },
    { protocol: "TCP" as const, port },
  ]);
  // An exception without peers or ports would be one for everybody.
  const hasSome = to.length > 0 && open.length > 0;
  return { podSelector: {}, policyTypes: ["Egress"], ...(hasSome && { egress: [{ to, ports: open }] }) };
}

function internalTraffic(wanted: Wanted): Spec {
  const podSelector = tenantPods(wanted);
  const open = tcp(ports.redis, ports.server);
  return {
    podSelector,
    policyTypes: ["Ingress", "Egress"],
    ingress: [{ from: [{ podSelector }], ports: open }],
    egress: [{ to: [{ podSelector }], ports: open }],
  };
}

function apiAccess(wanted: Wanted, { allowedNamespaces }: WantedNetwork): Spec | undefined {
  if (allowedNamespaces.length === 0) return undefined;
  return {
    podSelector: { matchLabels: selectorOf(wanted, "server") },
    policyTypes: ["Ingress"],
    ingress: [{ from: allowedNamespaces.map((namespace) => namespacePeer(namespace)), ports: tcp(ports.server) }],
  };
}

function authEgress(wanted: Wanted, { auth }: WantedNetwork): Spec | undefined {
  if (auth === undefined) return undefined;
  return {
    podSelector: { matchLabels: selectorOf(wanted, "server") },
    policyTypes: ["Egress"],
    egress: [{ to: [namespacePeer(auth.namespace)], ports: tcp(auth.port) }],
  };
}

function monitoring(wanted: Wanted, network: WantedNetwork): Spec | undefined {
  if (network.monitoring === undefined || network.monitoring.namespaces.length === 0) return undefined;
  const from = network.monitoring.namespaces.map((namespace) => namespacePeer(namespace));
  return {
    podSelector: tenantPods(wanted),
    policyTypes: ["Ingress"],
    ingress: [{ from, ports: tcp(...network.monitoring.ports) }],
  };
}

function customIngress(wanted: Wanted, rule: DeepReadonly<NetworkRule>): Spec {
  const from = peersOf(rule, rule.from);
  const open = portsOf(rule);
  // A rule about nobody is refused before it gets here. Without peers it would be about everybody.
  const ingress = from.length === 0 ? [] : [{ from, ...(open !== undefined && { ports: open }) }];
  return { podSelector: tenantPods(wanted), policyTypes: ["Ingress"], ingress };
}

function customEgress(wanted: Wanted, rule: DeepReadonly<NetworkRule>): Spec {
  const to = peersOf(rule, rule.to);
  const open = portsOf(rule);
  const egress = to.length === 0 ? [] : [{ to, ...(open !== undefined && { ports: open }) }];
  return { podSelector: tenantPods(wanted), policyTypes: ["Egress"], egress };
}

function tenantPods({ name }: Wanted): { readonly matchLabels: Readonly<Record<string, string>> } {
  return { matchLabels: { [labels.tenant]: name } };
}
