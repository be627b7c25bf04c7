import type { DeepReadonly } from "homeostat";
import type {
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from "@homeostat/kubernetes/networking/v1";
import { labels, ports } from "../api/identity.ts";
import type { NetworkRule } from "../api/tenant.ts";
import { type ChildObject, metadataOf, selectorOf } from "./objects.ts";
import type { ResolvedNetwork, ResolvedTenant } from "./resolve.ts";

type Spec = DeepReadonly<NetworkPolicySpec>;
type Peer = DeepReadonly<NetworkPolicyPeer>;
type Port = DeepReadonly<NetworkPolicyPort>;
type Labels = Readonly<Record<string, string>>;

/** The policy that denies all traffic. All other policies are exceptions to it. */
export const denyAllName = "default-deny-all";

/** Builds the network policies of a tenant, `default-deny-all` first; none if they are disabled. */
export function networkPolicies(resolved: ResolvedTenant): ChildObject<NetworkPolicy>[] {
  const { network } = resolved;
  if (network === undefined) return [];
  const standard: readonly (readonly [string, Spec | undefined])[] = [
    // Empty rule lists are set explicitly, so that a rule added by another field manager is drift.
    [denyAllName, { podSelector: {}, policyTypes: ["Ingress", "Egress"], ingress: [], egress: [] }],
    ["allow-dns-egress", dnsEgress(network)],
    ["allow-internal-traffic", internalTraffic(resolved)],
    ["allow-api-access", apiAccess(resolved, network)],
    ["allow-auth-egress", authEgress(resolved, network)],
    ["allow-monitoring", monitoring(resolved, network)],
  ];
  const custom = [
    ...network.ingressRules.map((rule, index) => [`custom-ingress-${index}`, customIngress(resolved, rule)] as const),
    ...network.egressRules.map((rule, index) => [`custom-egress-${index}`, customEgress(resolved, rule)] as const),
  ];
  return [
    ...standard.flatMap(([name, spec]) => (spec === undefined ? [] : [policy(resolved, "default", { name, spec })])),
    ...custom.map(([name, spec]) => policy(resolved, "custom", { name, spec })),
  ];
}

function policy(
  resolved: ResolvedTenant,
  origin: "default" | "custom",
  { name, spec }: { readonly name: string; readonly spec: Spec },
): ChildObject<NetworkPolicy> {
  const metadata = metadataOf(resolved, { name, component: "network-policy" });
  return {
    metadata: { ...metadata, labels: { ...metadata.labels, [labels.policy]: origin } },
    spec,
  };
}

function dnsEgress({ dns }: ResolvedNetwork): Spec {
  const to = [
    ...dns.namespaces.map((each) => namespacePeer(each, dns.podLabels)),
    ...dns.cidrs.map((each) => block(each)),
  ];
  const open = dns.ports.flatMap((port): Port[] => [
    { protocol: "UDP", port },
    { protocol: "TCP", port },
  ]);
  // A rule without peers or ports would allow all peers or all ports.
  const isComplete = to.length > 0 && open.length > 0;
  return { podSelector: {}, policyTypes: ["Egress"], ...(isComplete && { egress: [{ to, ports: open }] }) };
}

function internalTraffic(resolved: ResolvedTenant): Spec {
  const podSelector = tenantPods(resolved);
  const open = tcp(ports.redis, ports.server);
  return {
    podSelector,
    policyTypes: ["Ingress", "Egress"],
    ingress: [{ from: [{ podSelector }], ports: open }],
    egress: [{ to: [{ podSelector }], ports: open }],
  };
}

function apiAccess(resolved: ResolvedTenant, { allowedNamespaces }: ResolvedNetwork): Spec | undefined {
  if (allowedNamespaces.length === 0) return undefined;
  return {
    podSelector: { matchLabels: selectorOf(resolved, "server") },
    policyTypes: ["Ingress"],
    ingress: [{ from: allowedNamespaces.map((each) => namespacePeer(each)), ports: tcp(ports.server) }],
  };
}

function authEgress(resolved: ResolvedTenant, { authService }: ResolvedNetwork): Spec | undefined {
  if (authService === undefined) return undefined;
  return {
    podSelector: { matchLabels: selectorOf(resolved, "server") },
    policyTypes: ["Egress"],
    egress: [{ to: [namespacePeer(authService.namespace)], ports: tcp(authService.port) }],
  };
}

function monitoring(resolved: ResolvedTenant, network: ResolvedNetwork): Spec | undefined {
  if (network.monitoring === undefined || network.monitoring.namespaces.length === 0) return undefined;
  const from = network.monitoring.namespaces.map((each) => namespacePeer(each));
  return {
    podSelector: tenantPods(resolved),
    policyTypes: ["Ingress"],
    ingress: [{ from, ports: tcp(...network.monitoring.ports) }],
  };
}

// Validation rejects rules without peers. One that got here anyway must not become a rule that allows all peers.
function customIngress(resolved: ResolvedTenant, rule: DeepReadonly<NetworkRule>): Spec {
  const from = peersOf(rule, rule.from);
  const ingress = from.length === 0 ? [] : [{ from, ...portsOf(rule) }];
  return { podSelector: tenantPods(resolved), policyTypes: ["Ingress"], ingress };
}

function customEgress(resolved: ResolvedTenant, rule: DeepReadonly<NetworkRule>): Spec {
  const to = peersOf(rule, rule.to);
  const egress = to.length === 0 ? [] : [{ to, ...portsOf(rule) }];
  return { podSelector: tenantPods(resolved), policyTypes: ["Egress"], egress };
}

function tenantPods({ name }: ResolvedTenant): { readonly matchLabels: Labels } {
  return { matchLabels: { [labels.tenant]: name } };
}

/** Returns the peers of a rule. Both selectors go into one peer: in two peers, either would be enough. */
function peersOf({ namespaces = [], cidrs = [] }: DeepReadonly<NetworkRule>, podLabels: Labels = {}): Peer[] {
  const samePods = Object.keys(podLabels).length > 0 ? [{ podSelector: { matchLabels: podLabels } }] : [];
  const pods = namespaces.length > 0 ? namespaces.map((each) => namespacePeer(each, podLabels)) : samePods;
  return [...pods, ...cidrs.map(({ cidr, except }) => block(cidr, except))];
}

function namespacePeer(namespace: string, podLabels: Labels = {}): Peer {
  return {
    // The API server sets this label on every namespace and rejects other values.
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    ...(Object.keys(podLabels).length > 0 && { podSelector: { matchLabels: podLabels } }),
  };
}

function block(cidr: string, except: readonly string[] = []): Peer {
  return { ipBlock: { cidr, ...(except.length > 0 && { except }) } };
}

/** Returns the ports of a rule; no `ports` means all of them. */
function portsOf({ ports = [] }: DeepReadonly<NetworkRule>): { readonly ports?: readonly Port[] } {
  if (ports.length === 0) return {};
  return {
    ports: ports.map(({ protocol = "TCP", port, endPort }) => ({
      protocol,
      port,
      ...(endPort !== undefined && { endPort }),
    })),
  };
}

function tcp(...ports: readonly number[]): Port[] {
  return ports.map((port) => ({ protocol: "TCP", port }));
}
