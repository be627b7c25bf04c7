import type { DeepReadonly } from "homeostat";
import { ports } from "../api/identity.ts";
import type { ProbeSpec, TenantSpec } from "../api/tenant.ts";
import { parseImage } from "../settings/images.ts";
import type { ResolveSettings } from "../settings/settings.ts";
import { resolvePods } from "./resolve-resources.ts";

const serverDefaults = { cpu: { limit: "500m", request: "100m" }, memory: { limit: "512Mi", request: "128Mi" } };

/** Resolves the log server of a tenant. */
export function resolveServer(spec: DeepReadonly<TenantSpec>, { defaultServerImage, authServiceUrl }: ResolveSettings) {
  const { server, monitoring } = spec;
  const security = server.securityContext ?? {};
  const { liveness, readiness, startup } = server.probes ?? {};
  const { scrape = true, port = ports.server, path = "/metrics", interval } = monitoring?.prometheus ?? {};
  const pods = resolvePods(spec, server, { resources: serverDefaults, image: defaultServerImage, graceSeconds: 30 });
  return {
    ...pods,
    image: versioned(pods.image, spec.version),
    strategy: resolveStrategy(spec),
    logLevel: server.logLevel ?? "info",
    authUrl: authServiceUrl,
    env: server.env ?? [],
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
      liveness: resolveProbe(liveness, { initialDelaySeconds: 15, periodSeconds: 20 }),
      readiness: resolveProbe(readiness, { initialDelaySeconds: 5, periodSeconds: 10 }),
      startup: startup && resolveProbe(startup, { initialDelaySeconds: 5, periodSeconds: 10 }),
    },
    scrape: monitoring?.enabled === true && scrape ? { port, path, interval } : undefined,
  };
}

/** Returns the image with the tenant's version as tag, unless the image names a tag other than `latest` or a digest. */
export function versioned(image: string, version: string | undefined): string {
  const parsed = parseImage(image);
  if (version === undefined || parsed === undefined || parsed.digest !== undefined) return image;
  return parsed.tag === undefined || parsed.tag === "latest" ? `${parsed.repository}:${version}` : image;
}

function resolveStrategy({ upgradeStrategy }: DeepReadonly<TenantSpec>) {
  const { type = "RollingUpdate", maxUnavailable = "25%", maxSurge = "25%" } = upgradeStrategy ?? {};
  return type === "Recreate" ? { type } : { type, rollingUpdate: { maxUnavailable, maxSurge } };
}

function resolveProbe(
  given: DeepReadonly<ProbeSpec> | undefined,
  defaults: { readonly initialDelaySeconds: number; readonly periodSeconds: number },
) {
  return {
    path: "/health",
    port: ports.server,
    ...defaults,
    timeoutSeconds: 5,
    successThreshold: 1,
    failureThreshold: 3,
    ...given,
  };
}
