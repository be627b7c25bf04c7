import type { NetworkPolicy, NetworkPolicyPort } from "@homeostat/kubernetes/networking/v1";
import { metadataOf, selectorLabels } from "./metadata.ts";
import { ports } from "./names.ts";
import type { Installation } from "./options.ts";

/** Ports at which API servers commonly listen. */
export const defaultEgressPorts: readonly number[] = [443, 6443];

const tcp = (port: number): NetworkPolicyPort => ({ protocol: "TCP", port });

/**
 * The NetworkPolicy of the operator's own pods: only their ports can be reached, and metrics only by `metricsFrom`.
 *
 * Webhooks and health are open to every address. No selector matches an API server, and clusters differ in the address that
 * the kubelet comes from; the servers at these ports limit connections and requests themselves.
 *
 * Egress is not limited by default: clusters differ in the port of the API server, and an operator that cannot reach it does
 * nothing at all.
 */
export function networkPolicyManifest(installation: Installation): NetworkPolicy {
  const { instance, namespace, options, certificates } = installation;
  const { metrics = true, metricsPort = ports.metrics, metricsFrom = [], webhookPort = ports.webhook } = options;
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
      ],
      ...(limitEgress
        ? { egress: [{ ports: [{ protocol: "UDP", port: 53 }, tcp(53)] }, { ports: egressPorts.map(tcp) }] }
        : {}),
    },
  };
}
