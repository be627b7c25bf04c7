import type { DeepReadonly } from "homeostat";
import type { Service, ServicePort } from "@homeostat/kubernetes/core/v1";
import { labels, nodeName, ports, webUiName } from "../api/names.ts";
import { hasExporter, locustContainer } from "./containers.ts";
import { effectiveArguments } from "../api/effective-arguments.ts";
import { type BuildInput, type Desired, metadataFor, nameOf } from "./objects.ts";

/**
 * Builds the Service through which workers and Prometheus reach the master.
 *
 * `hasMetrics` overrides whether the Service has the port of the exporter: a Service that is recreated for a running master
 * must match that master, not the current spec.
 */
export function masterService(input: BuildInput, { hasMetrics }: { hasMetrics?: boolean } = {}): Desired<Service> {
  const { test, settings } = input;
  const name = nodeName(nameOf(test), "master");
  const isExported = hasMetrics ?? hasExporter(test.spec, effectiveArguments(locustContainer(input, "master")));
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadataFor(input, { name, role: "master" }),
    spec: {
      selector: { [labels.podName]: name },
      ports: [
        tcp("port5557", ports.master),
        tcp("port5558", ports.masterBind),
        ...(isExported ? [tcp("prometheus-metrics", settings.exporter.port)] : []),
      ],
    },
  };
}

/** Builds the Service for the web UI; undefined unless the test exposes it. */
export function webUiService(input: BuildInput): Desired<Service> | undefined {
  const { test } = input;
  const { webUI } = test.spec;
  if (webUI?.expose !== "Service") return undefined;
  const { webPort } = effectiveArguments(locustContainer(input, "master"));
  const name = webUiName(nameOf(test));
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadataFor(input, { name, role: "master", annotations: webUI.annotations ?? {} }),
    spec: {
      type: webUI.serviceType,
      selector: { [labels.podName]: nodeName(nameOf(test), "master") },
      ports: [{ ...tcp("web", ports.web), ...(webPort === ports.web ? {} : { targetPort: webPort }) }],
    },
  };
}

/** Returns the URL of the web UI inside the cluster; undefined without a Service for it. */
export function webUiUrl(input: BuildInput): string | undefined {
  const service = webUiService(input);
  if (service === undefined) return undefined;
  const { tls, webBasePath } = effectiveArguments(locustContainer(input, "master"));
  const { name, namespace } = service.metadata;
  return `${tls ? "https" : "http"}://${name}.${namespace}.svc:${ports.web}${webBasePath}`;
}

function tcp(name: string, port: number): DeepReadonly<ServicePort> {
  return { name, protocol: "TCP", port };
}
