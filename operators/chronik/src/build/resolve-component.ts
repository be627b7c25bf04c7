import type { DeepReadonly } from "homeostat";
import type { ClusterSpec } from "../api/chronik-cluster.ts";
import type { Component } from "../api/identity.ts";
import type { ResolveSettings } from "../settings/settings.ts";

/** Default times of the probes. The startup probe gives a member five minutes to replay its log. */
const probeTimes = {
  startup: { initialDelaySeconds: 0, periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 60 },
  liveness: { initialDelaySeconds: 30, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 },
  readiness: { initialDelaySeconds: 10, periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 3 },
} as const;

const graceSeconds: Readonly<Record<Component, number>> = { controller: 30, ingest: 60, search: 30 };

/** Resolves the fields of one component: the component's template overrides the fields of all components. */
export function resolveComponent(spec: DeepReadonly<ClusterSpec>, component: Component, settings: ResolveSettings) {
  const template = spec.template?.[component] ?? {};
  const { probes } = template;
  return {
    image: spec.image?.[component] ?? `${defaultImages(settings)[component]}:${spec.version ?? "latest"}`,
    pullPolicy: spec.image?.pullPolicy,
    pullSecrets: spec.image?.pullSecrets ?? [],
    /** Undefined without requests and limits. */
    resources: spec.resources?.[component],
    labels: { ...spec.podLabels, ...template.labels },
    annotations: { ...spec.podAnnotations, ...template.annotations },
    nodeSelector: { ...spec.nodeSelector, ...template.nodeSelector },
    tolerations: template.tolerations ?? spec.tolerations ?? [],
    affinity: template.affinity ?? spec.affinity ?? {},
    /** Undefined to use the default constraints. */
    topologySpreadConstraints: template.topologySpreadConstraints ?? spec.topologySpreadConstraints,
    priorityClassName: template.priorityClassName ?? spec.priorityClassName,
    env: template.env ?? spec.env ?? [],
    command: template.command ?? [],
    args: template.args ?? [],
    graceSeconds: template.terminationGracePeriodSeconds ?? graceSeconds[component],
    probes: {
      /** If true, probes connect to the main port instead of the health server. */
      isTcp: probes?.tcp ?? false,
      startup: { ...probeTimes.startup, ...probes?.startup },
      liveness: { ...probeTimes.liveness, ...probes?.liveness },
      readiness: { ...probeTimes.readiness, ...probes?.readiness },
    },
  };
}

function defaultImages(settings: ResolveSettings): Readonly<Record<Component, string>> {
  return {
    controller: settings.defaultControllerImage,
    ingest: settings.defaultIngestImage,
    search: settings.defaultSearchImage,
  };
}
