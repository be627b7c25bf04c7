import type { DeepReadonly } from "@homeostat/core";
import { ports } from "../api/identity.ts";
import type { TenantSpec } from "../api/tenant.ts";
import type { ResolveSettings } from "./resolve-settings.ts";
import type { WantedNetwork } from "./resolved-tenant.ts";

/** Who may talk with a tenant; undefined when it is not closed off. */
export function networkOf(
  spec: DeepReadonly<TenantSpec>,
  { authServiceUrl, authServiceNamespace }: ResolveSettings,
): WantedNetwork | undefined {
  const { networkPolicy, monitoring, redis } = spec;
  if (!networkPolicy.enabled) return undefined;
  const { allowedNamespaces = [], ingressRules = [], egressRules = [], dns = {} } = networkPolicy;
  const isConfigured = authServiceUrl !== undefined && authServiceNamespace !== undefined;
  const scraped = [monitoring?.prometheus?.port ?? ports.server, redis.exporter?.port ?? ports.exporter];
  return {
    allowedNamespaces,
    ingressRules,
    egressRules,
    dns: {
      namespaces: dns.namespaces ?? ["kube-system"],
      podLabels: dns.podLabels ?? { "k8s-app": "kube-dns" },
      cidrs: dns.cidrs ?? [],
      ports: dns.ports ?? [53],
    },
    auth: isConfigured ? { namespace: authServiceNamespace, port: portOf(authServiceUrl) } : undefined,
    monitoring:
      monitoring?.enabled === true
        ? { namespaces: monitoring.namespaces ?? ["monitoring"], ports: [...new Set(scraped)] }
        : undefined,
  };
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}
