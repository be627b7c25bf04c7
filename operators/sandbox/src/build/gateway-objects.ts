// The gateway: a Deployment of the routing proxy that serves the preview addresses, in the namespace of the operator.

import type { Deployment } from "@homeostat/kubernetes/apps/v1";
import type { Service } from "@homeostat/kubernetes/core/v1";
import type { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import { fieldManager, gatewayTlsSecret, labels } from "../api/identity.ts";
import { gatewayName } from "../api/names.ts";
import { type Named, type ProxyOptions, proxyPodSpec } from "./proxy-objects.ts";

/** Options of the gateway. It runs in the namespace of the operator and the route server. */
export type GatewayOptions = Omit<ProxyOptions, "namespace">;

/** Ports of the gateway, in its pods and its Service. */
const ports = { http: 8080, https: 8443 } as const;
const certificateFolder = "/etc/sandbox-gateway/tls";

const selector: Readonly<Record<string, string>> = { app: gatewayName };

/** The objects of a gateway. */
export interface GatewayObjects {
  readonly deployment: Named<Deployment>;
  readonly service: Named<Service>;
  readonly budget: Named<PodDisruptionBudget>;
}

/** Builds the objects of the gateway. */
export function buildGateway(options: GatewayOptions): GatewayObjects {
  const metadata = {
    name: gatewayName,
    namespace: options.systemNamespace,
    labels: { [labels.managedBy]: fieldManager, ...selector },
  };
  const pod = proxyPodSpec({
    ...options,
    role: "gateway",
    selector,
    args: [
      // Watches all namespaces instead of only the pod's own.
      "--namespace=",
      `--http-port=${ports.http}`,
      `--https-port=${ports.https}`,
      `--cert-dir=${certificateFolder}`,
    ],
    ports: Object.entries(ports).map(([name, containerPort]) => ({ name, containerPort })),
    // Optional: the platform team provides the certificate of the preview domain, and their ingress may terminate TLS.
    volumes: [{ name: "certificate", secret: { secretName: gatewayTlsSecret, optional: true } }],
    volumeMounts: [{ name: "certificate", mountPath: certificateFolder, readOnly: true }],
  });
  return {
    deployment: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: {
        replicas: 2,
        selector: { matchLabels: { ...selector } },
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
        template: { metadata: { labels: { ...selector } }, spec: pod },
      },
    },
    service: {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: {
        selector: { ...selector },
        ports: [
          { name: "http", port: 80, targetPort: "http" },
          { name: "https", port: 443, targetPort: "https" },
        ],
      },
    },
    budget: {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata,
      spec: { minAvailable: 1, selector: { matchLabels: { ...selector } } },
    },
  };
}
