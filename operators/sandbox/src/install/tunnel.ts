// The tunnel server as a program that is installed with the operator. Its code is in apps/tunnel.

import { releaseVersion } from "@homeostat/core";
import { SubjectAccessReview } from "@homeostat/kubernetes/authorization/v1";
import { ConfigMap, Node, Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { alertsExtra, type OperatorDefinition } from "@homeostat/operator";
import { labels, systemNamespace, tunnelSecret } from "../api/identity.ts";
import { LocalWorkload } from "../api/local-workload.ts";
import { tunnelName } from "../api/names.ts";
import { SandboxPolicy } from "../api/sandbox-policy.ts";
import { proxySelector } from "../build/taken-over-service.ts";
import { tunnelListenPorts } from "../build/tunnel-ports.ts";
import { tunnelAlerts } from "./tunnel-alerts.ts";
import { tunnelCertificateFolder, tunnelFlags, tunnelPorts } from "../settings/tunnel-flags.ts";

type TunnelDefinition = Pick<
  OperatorDefinition<typeof tunnelFlags>,
  "name" | "version" | "description" | "uses" | "installation" | "extras" | "access" | "ownAccess"
> & { readonly flags: typeof tunnelFlags };

/**
 * The definition of the tunnel server without its services, as manifests and the chart need it. The operator lists it as a companion, and the program
 * adds the services.
 */
export const tunnelDefinition: TunnelDefinition = {
  name: tunnelName,
  version: releaseVersion,
  description: "Connects processes on machines of developers with sandbox environments.",
  uses: [LocalWorkload, SandboxPolicy],
  flags: tunnelFlags,
  installation: {
    namespace: systemNamespace,
    // Every replica serves the machines that are attached to it.
    leaderElection: false,
    metricsPort: tunnelPorts.metrics,
    resources: { requests: { cpu: "50m", memory: "128Mi" }, limits: { memory: "1Gi" } },
    // Streams continue for 25 s after a replica starts to shut down.
    terminationGraceSeconds: 60,
    podAddress: true,
    servicePorts: [
      // Accepts connections from everywhere, because machines prove possession of their key.
      { name: "clients", port: tunnelPorts.clients },
      // These ports forward to the machines of developers. Proxies, gateways and pods of namespaces with sandboxes may connect to them.
      {
        name: "workloads",
        port: tunnelListenPorts.first,
        endPort: tunnelListenPorts.last,
        from: [
          { podSelector: {} },
          { namespaceSelector: {}, podSelector: { matchLabels: { ...proxySelector } } },
          { namespaceSelector: { matchLabels: { [labels.enabled]: "true" } } },
        ],
      },
    ],
    // The Secret also contains the key of the CA, which the tunnel server must not read.
    secretFiles: [
      {
        name: "certificate",
        secret: tunnelSecret,
        keys: ["tls.crt", "tls.key", "ca.crt"],
        mountPath: tunnelCertificateFolder,
      },
    ],
  },
  extras: { alertRules: alertsExtra("sandbox-tunnels", tunnelAlerts) },
  access: [
    { type: LocalWorkload, verbs: ["get", "list", "watch"] },
    { type: LocalWorkload, subresource: "status", verbs: ["patch"] },
    { type: SandboxPolicy, verbs: ["list", "watch"] },
    { type: Service, verbs: ["list", "watch"] },
    { type: EndpointSlice, verbs: ["list", "watch"] },
    // Clients must not open outgoing connections to the addresses of these objects.
    { type: Node, verbs: ["list", "watch"] },
    { type: SubjectAccessReview, verbs: ["create"] },
  ],
  ownAccess: ({ configMap }) => [{ type: ConfigMap, verbs: ["list", "watch"], names: [configMap] }],
};
