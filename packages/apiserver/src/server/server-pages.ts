// Endpoints about the server itself: metrics, flags, status, priority levels and the OIDC discovery of its tokens.

import { durationFromMs, formatDuration, formatMicroTime, microsFromMs } from "@homeostat/core";
import { identityResponse } from "../handlers/identity-paths.ts";
import type { HandlerResponse, ServerRequest } from "../http/handler.ts";
import type { HealthChecks } from "../http/health.ts";
import { fairnessResponse, flagzResponse, statuszResponse } from "../metrics/debug-pages.ts";
import type { ServerMetrics } from "../metrics/server-metrics.ts";
import type { FlowClassifier } from "../own-objects/flow-classifier.ts";
import type { ApiAddress, ApiServerOptions, ServerTools } from "./server-options.ts";

/** Dependencies of {@link serverPages}. */
export interface ServerPagesOptions {
  readonly tools: ServerTools;
  readonly options: ApiServerOptions;
  readonly metrics: ServerMetrics;
  readonly flows: FlowClassifier;
  readonly checks: HealthChecks;
  /** Returns the address of the server; undefined before it listens. */
  readonly address: () => ApiAddress | undefined;
}

/** Returns a handler of these endpoints, which returns undefined for other paths. */
export function serverPages({
  tools,
  options,
  metrics,
  flows,
  checks,
  address,
}: ServerPagesOptions): (request: ServerRequest) => Promise<HandlerResponse | undefined> {
  const { clock, issuer, signingKey } = tools;
  const url = (): string => address()?.url ?? `https://${ownAddress(tools.serviceNetwork)}:6443`;
  return async (request) => {
    const { path } = request.info;
    switch (path) {
      case "/metrics":
        return metrics.response();
      case "/metrics/slis":
        return metrics.slisResponse(checks);
      case "/flagz":
        return flagzResponse(request, flagsOf(tools, options, address()));
      case "/statusz":
        return statuszResponse(request, { clock, startMs: metrics.startMs });
      default:
        return (
          fairnessResponse(path, flows.levels(), formatMicroTime(microsFromMs(clock.now()))) ??
          identityResponse(path, { issuer, address: url(), keys: [signingKey.publicKey] })
        );
    }
  };
}

/** Returns the options of a server as flags of kube-apiserver. */
function flagsOf(
  { issuer, apiAudiences, serviceNetwork }: ServerTools,
  { authorization = "rbac", eventTtlMs = 3_600_000, anonymous }: ApiServerOptions,
  address: ApiAddress | undefined,
): Record<string, string> {
  return {
    "advertise-address": ownAddress(serviceNetwork),
    "anonymous-auth": String(anonymous === undefined || anonymous.length > 0),
    "api-audiences": `[${apiAudiences.join(",")}]`,
    "authorization-mode": authorization === "always" ? "[AlwaysAllow]" : "[RBAC]",
    "bind-address": address?.host ?? "",
    "event-ttl": formatDuration(durationFromMs(eventTtlMs)),
    "secure-port": String(address?.port ?? 0),
    "service-account-issuer": `[${issuer}]`,
    "service-cluster-ip-range": serviceNetwork,
  };
}

/**
 * Returns the advertised address for programs in the cluster. It is synthetic and does not reveal addresses of this
 * machine.
 */
export function ownAddress(network: string): string {
  const [first = "10", second = "96"] = network.split(".");
  return `${first}.${second}.255.254`;
}
