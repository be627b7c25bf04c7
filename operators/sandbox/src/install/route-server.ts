// The route server as a program that is installed with the operator. Its code is in apps/route-server.

import { releaseVersion } from "@homeostat/core";
import { TokenReview } from "@homeostat/kubernetes/authentication/v1";
import { ConfigMap, Service } from "@homeostat/kubernetes/core/v1";
import { EndpointSlice } from "@homeostat/kubernetes/discovery/v1";
import { alertsExtra, type OperatorDefinition } from "@homeostat/operator";
import { labels, previewKeysName, routeServerSecret, systemNamespace } from "../api/identity.ts";
import { routeServerName } from "../api/names.ts";
import { RouteTable } from "../api/route-table.ts";
import {
  routeServerCertificateFolder,
  routeServerFlags,
  routeServerPorts as ports,
} from "../settings/route-server-flags.ts";
import { routeServerAlerts } from "./route-server-alerts.ts";

type RouteServerDefinition = Pick<
  OperatorDefinition<typeof routeServerFlags>,
  "name" | "version" | "description" | "uses" | "installation" | "extras" | "access" | "ownAccess"
> & { readonly flags: typeof routeServerFlags };

/**
 * The definition of the route server without its services, as manifests and the chart need it. The operator lists it as a companion, and the program
 * adds the services.
 */
export const routeServerDefinition: RouteServerDefinition = {
  name: routeServerName,
  version: releaseVersion,
  description: "Sends the route tables of sandbox environments to proxies and counts the proxies that use them.",
  uses: [RouteTable],
  flags: routeServerFlags,
  installation: {
    namespace: systemNamespace,
    // All replicas serve all tables.
    leaderElection: false,
    metricsPort: ports.metrics,
    resources: { requests: { cpu: "50m", memory: "128Mi" }, limits: { memory: "512Mi" } },
    servicePorts: [
      // Streams accept connections from all pods, because they require a token.
      { name: "streams", port: ports.streams },
      // Queries require no token and expose the routing keys of all namespaces. Message consumers in baselines and forks send them.
      {
        name: "queries",
        port: ports.queries,
        from: [{ podSelector: {} }, { namespaceSelector: { matchLabels: { [labels.enabled]: "true" } } }],
      },
    ],
    // The Secret also contains the key of the CA, which the route server must not read.
    secretFiles: [
      {
        name: "certificate",
        secret: routeServerSecret,
        keys: ["tls.crt", "tls.key"],
        mountPath: routeServerCertificateFolder,
      },
    ],
  },
  extras: { alertRules: alertsExtra("sandbox-routes", routeServerAlerts) },
  access: [
    { type: RouteTable, verbs: ["list", "watch"] },
    { type: RouteTable, subresource: "status", verbs: ["patch"] },
    { type: Service, verbs: ["list", "watch"] },
    { type: EndpointSlice, verbs: ["list", "watch"] },
    { type: TokenReview, verbs: ["create"] },
  ],
  // The second ConfigMap has the public keys of preview tokens, which gateways verify.
  ownAccess: ({ configMap }) => [{ type: ConfigMap, verbs: ["list", "watch"], names: [configMap, previewKeysName] }],
};
