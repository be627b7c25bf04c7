import type { DeepReadonly } from "@homeostat/core";
import type { Namespace } from "@homeostat/kubernetes/core/v1";
import type { Wanted } from "./resolved-tenant.ts";
import { labelsOf } from "./objects.ts";

/** A namespace to be made, with its name. */
export type MadeNamespace = DeepReadonly<Namespace> & {
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
};

/** The namespace of a tenant. What the tenant asks for never replaces what is ours. */
export function namespace(wanted: Wanted): MadeNamespace {
  const { labels, annotations } = wanted.namespaceMetadata;
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name: wanted.namespace,
      labels: { ...labels, ...labelsOf(wanted), ...podSecurityLabels(wanted) },
      annotations: { ...annotations },
    },
  };
}

/** What the namespace holds its pods to, as Kubernetes reads it. */
function podSecurityLabels({ podSecurity }: Wanted): Record<string, string> {
  const { enforce, audit, warn, version } = podSecurity;
  return Object.fromEntries(
    Object.entries({ enforce, audit, warn }).flatMap(([mode, level]) => [
      [`pod-security.kubernetes.io/${mode}`, level],
      [`pod-security.kubernetes.io/${mode}-version`, version],
    ]),
  );
}
