// A gateway on the node: the routing proxy in the role gateway, with a token of the namespace of the operator.

import type { Client } from "@homeostat/client";
import { restrictedContainerContext, restrictedPodContext } from "@homeostat/core";
import { Pod } from "@homeostat/kubernetes/core/v1";
import { systemNamespace } from "@homeostat/sandbox-operator";

/** Port of requests without TLS. */
export const gatewayPort = 8080;
const folder = "/var/run/sandbox-proxy";

/** Creates the pod of a gateway. */
export async function createGateway(client: Client): Promise<void> {
  await client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "sandbox-gateway", namespace: systemNamespace },
    spec: {
      automountServiceAccountToken: false,
      securityContext: { ...restrictedPodContext },
      // It has no connections that must finish.
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: "gateway",
          image: "docker.io/library/sandbox-proxy:0.0.0",
          args: [
            "--role=gateway",
            `--token-file=${folder}/token`,
            `--ca-file=${folder}/ca.crt`,
            `--http-port=${gatewayPort}`,
          ],
          volumeMounts: [{ name: "credentials", mountPath: folder, readOnly: true }],
          securityContext: {
            ...restrictedContainerContext,
            capabilities: { drop: [...restrictedContainerContext.capabilities.drop] },
          },
          readinessProbe: { httpGet: { path: "/readyz", port: 9090 }, periodSeconds: 1 },
        },
      ],
      volumes: [
        {
          name: "credentials",
          projected: {
            sources: [
              { serviceAccountToken: { audience: "sandbox-routes", path: "token" } },
              { configMap: { name: "sandbox-route-server-ca", items: [{ key: "ca.crt", path: "ca.crt" }] } },
            ],
          },
        },
      ],
    },
  });
}
