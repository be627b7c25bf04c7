import type { DeepReadonly } from "@homeostat/core";
import type { Service, ServicePort } from "@homeostat/kubernetes/core/v1";
import { labels, ports } from "../api/identity.ts";
import { nodeName, webUiName } from "../api/names.ts";
import { effectiveArguments } from "./effective-arguments.ts";
import { isExported } from "./exporter.ts";
import { locustContainer } from "./locust-container.ts";
import { type Made, metadataFor, nameOf, type Plan } from "./objects.ts";

/**
 * The Service by which workers, and whoever collects metrics, find the master.
 *
 * `hasMetrics` says whether it has the exporter's port; else that follows from the spec. A Service that is made anew
 * beside a running master has what that master has.
 */
export function masterService(plan: Plan, { hasMetrics }: { hasMetrics?: boolean } = {}): Made<Service> {
  const { test, config } = plan;
  const name = nodeName(nameOf(test), "master");
  const isMeasured = hasMetrics ?? isExported(test.spec, effectiveArguments(locustContainer(plan, "master")));
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadataFor(plan, { name, role: "master" }),
    spec: {
      selector: { [labels.podName]: name },
      ports: [
        tcp("port5557", ports.master),
        tcp("port5558", ports.masterBind),
        ...(isMeasured ? [tcp("prometheus-metrics", config.exporter.port)] : []),
      ],
    },
  };
}

/** The Service that shows the web interface; undefined where nobody asked for it. */
export function webUiService(plan: Plan): Made<Service> | undefined {
  const { test } = plan;
  const { webUI } = test.spec;
  if (webUI?.expose !== "Service") return undefined;
  const { webPort } = effectiveArguments(locustContainer(plan, "master"));
  const metadata = metadataFor(plan, {
    name: webUiName(nameOf(test)),
    role: "master",
    annotations: webUI.annotations ?? {},
  });
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata,
    spec: {
      type: webUI.serviceType,
      selector: { [labels.podName]: nodeName(nameOf(test), "master") },
      ports: [{ ...tcp("web", ports.web), ...(webPort === ports.web ? {} : { targetPort: webPort }) }],
    },
  };
}

/** Where the web interface is found inside the cluster; undefined where there is no Service for it. */
export function webUiUrl(plan: Plan): string | undefined {
  const service = webUiService(plan);
  if (service === undefined) return undefined;
  const { tls, webBasePath } = effectiveArguments(locustContainer(plan, "master"));
  const { name, namespace } = service.metadata;
  return `${tls ? "https" : "http"}://${name}.${namespace}.svc:${ports.web}${webBasePath}`;
}

function tcp(name: string, port: number): DeepReadonly<ServicePort> {
  return { name, protocol: "TCP", port };
}
