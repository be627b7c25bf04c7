// Settings of the routing proxy that come from the configuration and the flags of the operator.

import type { EnvVar } from "@homeostat/kubernetes/core/v1";
import { defaultConfig, type OperatorConfig } from "../settings/config.ts";

type ProxyConfig = OperatorConfig["proxy"];

/** Returns the limits by their names in the proxy, with values in milliseconds, bytes or counts. */
const limitsOf: Readonly<Record<string, (config: ProxyConfig) => number>> = {
  connectMs: ({ connectTimeoutSeconds }) => connectTimeoutSeconds * 1_000,
  tlsHandshakeMs: ({ tlsHandshakeTimeoutSeconds }) => tlsHandshakeTimeoutSeconds * 1_000,
  requestHeadMs: ({ requestHeadersTimeoutSeconds }) => requestHeadersTimeoutSeconds * 1_000,
  responseHeadMs: ({ responseHeadersTimeoutSeconds }) => responseHeadersTimeoutSeconds * 1_000,
  streamIdleMs: ({ streamIdleTimeoutSeconds }) => streamIdleTimeoutSeconds * 1_000,
  longStreamIdleMs: ({ longStreamIdleTimeoutSeconds }) => longStreamIdleTimeoutSeconds * 1_000,
  clientKeepAliveMs: ({ clientKeepAliveSeconds }) => clientKeepAliveSeconds * 1_000,
  upstreamKeepAliveMs: ({ upstreamKeepAliveSeconds }) => upstreamKeepAliveSeconds * 1_000,
  headBytesMax: ({ headerBytesMax }) => headerBytesMax,
  connectionsMax: ({ connectionsMax }) => connectionsMax,
  pendingMax: ({ pendingMax }) => pendingMax,
  heldMax: ({ heldRequestsMax }) => heldRequestsMax,
  heldBytesMax: ({ heldBytesMax }) => heldBytesMax,
  retriesMax: ({ retriesMax }) => retriesMax,
  shutdownDelayMs: ({ shutdownDelaySeconds }) => shutdownDelaySeconds * 1_000,
  drainMs: ({ shutdownTimeoutSeconds }) => shutdownTimeoutSeconds * 1_000,
};

/**
 * Returns the arguments for limits that differ from the defaults: `--limits=connectMs=2000`. Limits with their default are omitted, so a default
 * configuration does not change the pods.
 */
export function limitArguments({ proxy }: Pick<OperatorConfig, "proxy">): readonly string[] {
  const changed = Object.entries(limitsOf).flatMap(([name, valueOf]) => {
    const value = valueOf(proxy);
    return value === valueOf(defaultConfig.proxy) ? [] : [`${name}=${value}`];
  });
  return changed.length === 0 ? [] : [`--limits=${changed.join(",")}`];
}

/** Returns the variables that make the proxy export spans of sampled requests. They name its pod by variables that all proxies have. */
export function traceEnvironment(endpoint: string): readonly EnvVar[] {
  if (endpoint === "") return [];
  const attributes = "k8s.namespace.name=$(SANDBOX_PROXY_NAMESPACE),k8s.pod.name=$(SANDBOX_PROXY_NAME)";
  return [
    { name: "OTEL_EXPORTER_OTLP_ENDPOINT", value: endpoint },
    { name: "OTEL_RESOURCE_ATTRIBUTES", value: attributes },
  ];
}
