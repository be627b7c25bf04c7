import type { DeepReadonly } from "@homeostat/core";
import type { EnvVar } from "@homeostat/kubernetes/core/v1";
import { ports } from "../api/identity.ts";
import type { EnvEntry, ProbeSpec, TenantSpec } from "../api/tenant.ts";
import { parseImage } from "../settings/images.ts";
import { placementOf } from "./resolve-placement.ts";
import type { ResolveSettings } from "./resolve-settings.ts";
import { resourcesOf } from "./resolve-resources.ts";
import type { WantedProbe, WantedServer } from "./resolved-tenant.ts";

const defaults = { cpu: { limit: "500m", request: "100m" }, memory: { limit: "512Mi", request: "128Mi" } };
const share = "25%";

/** What is wanted of a tenant's server. */
export function serverOf(
  spec: DeepReadonly<TenantSpec>,
  { defaultServerImage, authServiceUrl }: ResolveSettings,
): WantedServer {
  const { server, monitoring } = spec;
  const security = server.securityContext ?? {};
  const { scrape = true, port = ports.server, path = "/metrics", interval } = monitoring?.prometheus ?? {};
  return {
    replicas: server.replicas,
    image: versioned(server.image ?? defaultServerImage, spec.version),
    imagePullPolicy: server.imagePullPolicy ?? "IfNotPresent",
    imagePullSecrets: server.imagePullSecrets ?? [],
    resources: resourcesOf(server.resources, defaults),
    placement: placementOf(spec, server),
    graceSeconds: server.terminationGracePeriodSeconds ?? 30,
    strategy: strategyOf(spec),
    logLevel: server.logLevel ?? "info",
    authUrl: authServiceUrl,
    env: (server.env ?? []).map(variable),
    security: {
      runAsUser: security.runAsUser ?? 1001,
      runAsGroup: security.runAsGroup ?? 1001,
      fsGroup: security.fsGroup ?? 1001,
      runAsNonRoot: security.runAsNonRoot ?? true,
      readOnlyRootFilesystem: security.readOnlyRootFilesystem ?? true,
      allowPrivilegeEscalation: security.allowPrivilegeEscalation ?? false,
      drop: security.capabilities?.drop ?? ["ALL"],
    },
    probes: {
      liveness: probe(server.probes?.liveness, { initialDelaySeconds: 15, periodSeconds: 20 }),
      readiness: probe(server.probes?.readiness, { initialDelaySeconds: 5, periodSeconds: 10 }),
      startup:
        server.probes?.startup === undefined
          ? undefined
          : probe(server.probes.startup, { initialDelaySeconds: 5, periodSeconds: 10 }),
    },
    scrape: monitoring?.enabled === true && scrape ? { port, path, interval } : undefined,
  };
}

/** The image with the tenant's version for a tag that says nothing; an image that says more is used as it is written. */
export function versioned(image: string, version: string | undefined): string {
  const parsed = parseImage(image);
  if (version === undefined || parsed === undefined || parsed.digest !== undefined) return image;
  return parsed.tag === undefined || parsed.tag === "latest" ? `${parsed.repository}:${version}` : image;
}

function strategyOf({ upgradeStrategy }: DeepReadonly<TenantSpec>): WantedServer["strategy"] {
  const { type = "RollingUpdate", maxUnavailable = share, maxSurge = share } = upgradeStrategy ?? {};
  return type === "Recreate" ? { type } : { type, maxUnavailable, maxSurge };
}

function variable({ name, value, valueFrom }: DeepReadonly<EnvEntry>): DeepReadonly<EnvVar> {
  return { name, ...(value !== undefined && { value }), ...(valueFrom !== undefined && { valueFrom }) };
}

function probe(
  said: DeepReadonly<ProbeSpec> | undefined,
  { initialDelaySeconds, periodSeconds }: Pick<WantedProbe, "initialDelaySeconds" | "periodSeconds">,
): WantedProbe {
  return {
    path: "/health",
    port: ports.server,
    initialDelaySeconds,
    periodSeconds,
    timeoutSeconds: 5,
    successThreshold: 1,
    failureThreshold: 3,
    ...said,
  };
}
