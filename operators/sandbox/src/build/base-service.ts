// The Service that selects the pods of the baseline while the original Service selects the proxy.

import { withoutUndefined } from "@homeostat/core";
import type { Service } from "@homeostat/kubernetes/core/v1";
import { fieldManager, labels } from "../api/identity.ts";
import { baselineServiceName } from "../api/names.ts";
import { type CachedService, viewService } from "./service-view.ts";

/** Builds the Service with the selector and ports of the original, and its own address. The garbage collector deletes it with the original. */
export function buildBaseService(service: CachedService): Service & { readonly metadata: { readonly name: string } } {
  const { name, namespace, selector, ports, spec } = viewService(service);
  const { ipFamilies, ipFamilyPolicy, publishNotReadyAddresses } = spec;
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: baselineServiceName(name),
      namespace,
      labels: { [labels.managedBy]: fieldManager },
      ownerReferences: [{ apiVersion: "v1", kind: "Service", name, uid: service.metadata.uid ?? "" }],
    },
    spec: {
      type: "ClusterIP",
      selector: { ...selector },
      ports: ports.map(({ name: portName, port, protocol = "TCP", targetPort = port, appProtocol }) => ({
        port,
        protocol,
        targetPort,
        ...withoutUndefined({ name: portName, appProtocol }),
      })),
      ...withoutUndefined({
        ipFamilies: ipFamilies === undefined ? undefined : [...ipFamilies],
        ipFamilyPolicy,
        publishNotReadyAddresses,
      }),
    },
  };
}
