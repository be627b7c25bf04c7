import type { DeepReadonly } from "@homeostat/core";
import type { PodSpec, PodTemplateSpec } from "@homeostat/kubernetes/core/v1";
import { labels, type Role } from "../api/identity.ts";
import { effectiveArguments } from "./effective-arguments.ts";
import { exporterContainer, isExported } from "./exporter.ts";
import { locustContainer } from "./locust-container.ts";
import { ownLabels, type Plan, type Test } from "./objects.ts";
import { volumesFor } from "./volumes.ts";

/** The pods of a role. */
export function podTemplate(plan: Plan, role: Role): DeepReadonly<PodTemplateSpec> {
  const { test, config } = plan;
  const { spec } = test;
  const locust = locustContainer(plan, role);
  const hasExporter = role === "master" && isExported(spec, effectiveArguments(locust));
  const annotations = {
    ...(hasExporter ? scrapeAnnotations(config.exporter.port) : {}),
    ...spec[role].annotations,
  };
  const volumes = volumesFor(test, role);
  return {
    metadata: {
      labels: podLabels(test, role),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    spec: {
      restartPolicy: "Never",
      ...((spec.imagePullSecrets ?? []).length > 0 && { imagePullSecrets: spec.imagePullSecrets ?? [] }),
      ...(hasExporter && { initContainers: [exporterContainer(config, locust)] }),
      containers: [locust],
      ...(volumes.length > 0 && { volumes }),
      ...placement(plan),
      securityContext: spec.security?.podSecurityContext ?? { seccompProfile: { type: "RuntimeDefault" } },
    },
  };
}

/** The labels of pods: the user's over ours, but for the two by which the operator and the Service find them. */
function podLabels(test: Test, role: Role): Record<string, string> {
  const own = ownLabels(test, role);
  return {
    ...own,
    ...test.spec[role].labels,
    [labels.podName]: own[labels.podName] ?? "",
    [labels.managedBy]: own[labels.managedBy] ?? "",
  };
}

function scrapeAnnotations(port: number): Record<string, string> {
  return {
    "prometheus.io/scrape": "true",
    "prometheus.io/path": "/metrics",
    "prometheus.io/port": String(port),
  };
}

/** Where the pods may run, as far as the operator lets tests say so. */
function placement({ test, config }: Plan): Partial<DeepReadonly<PodSpec>> {
  const { affinity, tolerations = [], nodeSelector = {}, runtimeClassName } = test.spec.scheduling ?? {};
  // An empty text asks for none, also where the operator has a default.
  const runtimeClass = runtimeClassName ?? config.defaultRuntimeClassName ?? "";
  return {
    ...(config.affinityInjection && affinity !== undefined && { affinity }),
    ...(config.tolerationsInjection && tolerations.length > 0 && { tolerations }),
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector }),
    ...(runtimeClass !== "" && { runtimeClassName: runtimeClass }),
  };
}
