import type { NetworkPolicy } from "@homeostat/kubernetes/networking/v1";
import type { InstallationPlace } from "@homeostat/operator";

const tcp = (port: number): { protocol: "TCP"; port: number } => ({ protocol: "TCP", port });

/**
 * Isolates the operator's own pods: webhooks and metrics in, API server and DNS out.
 *
 * No selector matches the API server, so egress is limited by port only.
 */
export function operatorNetworkPolicy({ instance, namespace, podLabels }: InstallationPlace): NetworkPolicy[] {
  return [
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: instance, namespace },
      spec: {
        podSelector: { matchLabels: { ...podLabels } },
        policyTypes: ["Ingress", "Egress"],
        ingress: [{ ports: [tcp(9443), tcp(8080)] }],
        egress: [{ ports: [tcp(443), tcp(6443)] }, { ports: [{ protocol: "UDP", port: 53 }, tcp(53)] }],
      },
    },
  ];
}
