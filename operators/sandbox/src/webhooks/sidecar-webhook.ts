// Adds the routing proxy to pods whose annotation asks for it.

import { type AdmissionWebhook, mutatingWebhook } from "homeostat";
import { Pod } from "@homeostat/kubernetes/core/v1";
import { annotations, forbiddenNamespaces, systemNamespace } from "../api/identity.ts";
import type { ProxyOptions } from "../build/proxy-objects.ts";
import { asksForSidecar, injectSidecar, skippedText } from "../build/sidecar.ts";

/**
 * Builds the webhook for pods. A pod that cannot get a sidecar is created without one and with a warning: Services work without sidecars, and an
 * unavailable operator must not prevent pods from starting.
 */
export function sidecarWebhook(options: () => Omit<ProxyOptions, "namespace">): AdmissionWebhook {
  return mutatingWebhook({
    for: Pod,
    mutate: (pod, _, { warn }) => {
      if (!asksForSidecar(pod)) return undefined;
      const injected = injectSidecar(pod, options());
      if ("refused" in injected) {
        warn(`the pod gets no proxy sidecar: ${injected.refused}`);
        return undefined;
      }
      if (injected.skipped.length > 0) {
        const ports = injected.skipped.map(skippedText).join("; ");
        warn(
          `the proxy sidecar does not intercept these ports: ${ports}. Give each port a unique name, and use it as targetPort of the Service`,
        );
      }
      return injected.pod;
    },
    calls: {
      operations: ["CREATE"],
      failurePolicy: "Ignore",
      // Other webhooks may add containers with ports.
      reinvocationPolicy: "IfNeeded",
      // Without this condition, the API server would send every pod of the cluster.
      matchConditions: [{ name: "asks-for-sidecar", expression: asksExpression }],
      // The operator's own namespace is always excluded. Its name depends on the Helm release, so it is not listed here.
      excludedNamespaces: forbiddenNamespaces.filter((name) => name !== systemNamespace),
    },
  });
}

const asksExpression = `has(object.metadata.annotations) && "${annotations.inject}" in object.metadata.annotations && object.metadata.annotations["${annotations.inject}"] == "true"`;
