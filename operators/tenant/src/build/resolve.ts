// Resolves a Tenant: fills in every default, so that builders and decisions read the resolved spec and never the Tenant itself.

import type { DeepReadonly } from "homeostat";
import { ports } from "../api/identity.ts";
import { namespaceOf } from "../api/names.ts";
import type { PodSecuritySpec, Tenant, TenantSpec } from "../api/tenant.ts";
import type { ResolveSettings } from "../settings/settings.ts";
import { resolveRedis } from "./resolve-redis.ts";
import { resolveQuota } from "./resolve-resources.ts";
import { resolveServer } from "./resolve-server.ts";

export type AccessRole = "admin" | "editor" | "viewer";

export type ResolvedTenant = ReturnType<typeof resolveTenant>;
export type ResolvedRedis = ResolvedTenant["redis"];
export type ResolvedServer = ResolvedTenant["server"];
export type ResolvedNetwork = NonNullable<ResolvedTenant["network"]>;

/**
 * Resolves a tenant that has passed the structural rules.
 *
 * @param namespace the tenant's namespace; derived from the tenant's name when left out.
 */
export function resolveTenant(tenant: DeepReadonly<Tenant>, settings: ResolveSettings, namespace?: string) {
  const { spec } = tenant;
  const name = tenant.metadata.name ?? "";
  const identity = { name, namespace: namespace ?? namespaceOf(name) };
  const { admins = [], editors = [], viewers = [] } = spec.access ?? {};
  return {
    ...identity,
    namespaceMetadata: {
      labels: spec.namespaceMetadata?.labels ?? {},
      annotations: spec.namespaceMetadata?.annotations ?? {},
    },
    podSecurity: resolvePodSecurity(spec.podSecurity),
    /** Undefined without `spec.resources`. */
    quota: resolveQuota(spec),
    /** Undefined when network policies are disabled. */
    network: resolveNetwork(spec, settings),
    access: { admin: admins, editor: editors, viewer: viewers },
    redis: resolveRedis(spec, settings, identity),
    server: resolveServer(spec, settings),
    isHibernated: spec.hibernation?.enabled ?? false,
  };
}

/** Fills in the defaults of `spec.podSecurity`. */
export function resolvePodSecurity({ enforce, audit, warn, version }: DeepReadonly<PodSecuritySpec> = {}) {
  return {
    enforce: enforce ?? "restricted",
    audit: audit ?? "restricted",
    warn: warn ?? "restricted",
    version: version ?? "latest",
  };
}

function resolveNetwork(spec: DeepReadonly<TenantSpec>, settings: ResolveSettings) {
  const { networkPolicy, monitoring, redis } = spec;
  if (!networkPolicy.enabled) return undefined;
  const { allowedNamespaces = [], ingressRules = [], egressRules = [], dns = {} } = networkPolicy;
  const { authServiceUrl, authServiceNamespace } = settings;
  const hasAuthService = authServiceUrl !== undefined && authServiceNamespace !== undefined;
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
    authService: hasAuthService ? { namespace: authServiceNamespace, port: portOf(authServiceUrl) } : undefined,
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
