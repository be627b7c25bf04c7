import type { DeepReadonly } from "@homeostat/core";
import type { ConfigMap } from "@homeostat/kubernetes/core/v1";

/** Name of the ConfigMap with the certificate authority of the API server. */
export const rootCaName = "kube-root-ca.crt";

const descriptionKey = "kubernetes.io/description";
const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** Returns the desired ConfigMap, based on the observed one. */
export function rootCa(namespace: string, ca: string, found?: DeepReadonly<ConfigMap>): DeepReadonly<ConfigMap> {
  return {
    ...found,
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      ...found?.metadata,
      namespace,
      name: rootCaName,
      annotations: { ...found?.metadata.annotations, [descriptionKey]: description },
    },
    data: { "ca.crt": ca },
  };
}

/** Reports whether the ConfigMap has exactly the certificate authority and a description. */
export function isRootCaCurrent({ metadata, data = {} }: DeepReadonly<ConfigMap>, ca: string): boolean {
  const isDescribed = (metadata.annotations?.[descriptionKey] ?? "") !== "";
  return isDescribed && data["ca.crt"] === ca && Object.keys(data).length === 1;
}
