// The objects of a probe: a Service without pods, and a route with a regular expression.

import { annotations, keyPrefix, managedSelector } from "../api/identity.ts";
import type { HttpRoute } from "../render/gateway-types.ts";

/** Name of the Service, and the start of the names of probe routes. */
export const probeName = "sbx-mesh-probe";

const port = 80;

/** One of two probe routes of a namespace, and the time at which it is created. */
export interface ProbeIdentity {
  readonly slot: 0 | 1;
  readonly probedAt: number;
}

/** Returns the name of a probe route. */
export function probeRouteName(slot: ProbeIdentity["slot"]): string {
  return `${probeName}-${slot}`;
}

/** Returns the Service that probe routes are attached to. Meshes refuse Services without a selector. */
export function probeService(namespace: string) {
  return {
    metadata: { name: probeName, namespace, labels: { ...managedSelector } },
    spec: { selector: { [`${keyPrefix}mesh-probe`]: "none" }, ports: [{ name: "http", port }] },
  };
}

/** Returns a probe route. */
export function probeRoute(namespace: string, { slot, probedAt }: ProbeIdentity): HttpRoute {
  const backendRefs = [{ name: probeName, port }];
  const header = { type: "RegularExpression", name: "baggage", value: "^(.*,)?[ \\t]*probe=.*$" } as const;
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: {
      name: probeRouteName(slot),
      namespace,
      labels: { ...managedSelector },
      annotations: { [annotations.probedAt]: new Date(probedAt).toISOString() },
    },
    spec: {
      parentRefs: [{ group: "", kind: "Service", name: probeName, port }],
      rules: [{ matches: [{ headers: [header] }], backendRefs }, { backendRefs }],
    },
  };
}
