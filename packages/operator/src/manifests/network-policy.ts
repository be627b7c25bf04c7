import type { NetworkPolicy, NetworkPolicyPort } from "@homeostat/kubernetes/networking/v1";
import { metadataOf, selectorLabels } from "./metadata.ts";
import { ports } from "../installation/names.ts";
import type { Installation } from "../definition/installation.ts";

/** Common ports of API servers. */
export const defaultEgressPorts: readonly number[] = [443, 6443];

const tcp = (port: number): NetworkPolicyPort => ({ protocol: "TCP", port });

/**
 * Returns the NetworkPolicy of the operator's own pods: it opens only their ports, metrics only to `metricsFrom`, and service ports
 * only to the peers of each.
 *
 * Webhooks and health are open to every address. No selector matches an API server, and the source address of the kubelet differs
 * between clusters. The servers at these ports limit connections and requests themselves.
 *
 * Egress is not limited by default: the port of the API server differs between clusters, and an operator that cannot reach it
 * does nothing.
 */
export function networkPolicyManifest(installation: Installation): NetworkPolicy {
  const { instance, namespace, options, certificates } = installation;
  const { metrics = true, metricsPort = ports.metrics, metricsFrom = [], webhookPort = ports.webhook } = options;
  const { servicePorts = [], portsFrom = {} } = options;
  const { limitEgress = false, egressPorts = defaultEgressPorts } = options;
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: metadataOf(installation, { name: instance, namespace }),
    spec: {
      podSelector: { matchLabels: selectorLabels(installation) },
      policyTypes: limitEgress ? ["Ingress", "Egress"] : ["Ingress"],
      ingress: [
        { ports: [tcp(ports.health), ...(certificates === undefined ? [] : [tcp(webhookPort)])] },
        ...(metrics
          ? [{ ports: [tcp(metricsPort)], ...(metricsFrom.length === 0 ? {} : { from: [...metricsFrom] }) }]
          : []),
        ...servicePorts.map(({ name, port, endPort, from = [] }) => {
          const peers = portsFrom[name] ?? from;
          const range = { ...tcp(port), ...(endPort === undefined ? {} : { endPort }) };
          return { ports: [range], ...(peers.length === 0 ? {} : { from: [...peers] }) };
        }),
      ],
      ...(limitEgress
        ? { egress: [{ ports: [{ protocol: "UDP", port: 53 }, tcp(53)] }, { ports: egressPorts.map(tcp) }] }
        : {}),
    },
  };
}
