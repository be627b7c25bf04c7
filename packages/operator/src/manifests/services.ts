import type { Service } from "@homeostat/kubernetes/core/v1";
import type { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import { metadataOf, selectorLabels } from "./metadata.ts";
import { metricsServiceName, ports } from "../installation/names.ts";
import type { Installation } from "../definition/installation.ts";
import { singlePorts } from "../installation/program-ports.ts";

/** Returns the Service at which API servers call the webhooks. */
export function webhookServiceManifest(installation: Installation): Service {
  const { webhookService, namespace } = installation;
  return service(installation, {
    name: webhookService,
    namespace,
    port: { name: "webhook", port: 443, targetPort: "webhook", protocol: "TCP" },
  });
}

/** Returns the Service for metrics. */
export function metricsServiceManifest(installation: Installation): Service {
  const { instance, namespace, options } = installation;
  return service(installation, {
    name: metricsServiceName(instance),
    namespace,
    port: { name: "metrics", port: options.metricsPort ?? ports.metrics, targetPort: "metrics", protocol: "TCP" },
  });
}

/** Returns the Service of the ports that the program serves, with metrics; undefined if it serves none. */
export function programServiceManifest(installation: Installation): Service | undefined {
  const { instance, namespace, options } = installation;
  const { metrics = true, metricsService = true, metricsPort = ports.metrics } = options;
  const servicePorts = singlePorts(options.servicePorts);
  if (servicePorts.length === 0) return undefined;
  const served = [...servicePorts, ...(metrics && metricsService ? [{ name: "metrics", port: metricsPort }] : [])];
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadataOf(installation, { name: instance, namespace }),
    spec: {
      selector: selectorLabels(installation),
      ports: served.map(({ name, port }) => ({ name, port, targetPort: name, protocol: "TCP" })),
    },
  };
}

function service(
  installation: Installation,
  {
    name,
    namespace,
    port,
  }: {
    name: string;
    namespace: string;
    port: { name: string; port: number; targetPort: string; protocol: "TCP" };
  },
): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadataOf(installation, { name, namespace }),
    spec: { selector: selectorLabels(installation), ports: [port] },
  };
}

/** Returns the PodDisruptionBudget. `AlwaysAllow`: a replica that is not ready must not block a drain. */
export function disruptionBudgetManifest(installation: Installation): PodDisruptionBudget {
  const { instance, namespace, options } = installation;
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: metadataOf(installation, { name: instance, namespace }),
    spec: {
      maxUnavailable: options.unavailableMax ?? 1,
      selector: { matchLabels: selectorLabels(installation) },
      unhealthyPodEvictionPolicy: "AlwaysAllow",
    },
  };
}
