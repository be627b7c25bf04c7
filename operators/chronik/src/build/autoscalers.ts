import type { DeepReadonly } from "homeostat";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerBehavior,
  MetricSpec,
} from "@homeostat/kubernetes/autoscaling/v2";
import type { AutoscalerSpec } from "../api/chronik-cluster.ts";
import type { ChronikNodeGroup } from "../api/chronik-node-group.ts";
import { apiVersion, type Component } from "../api/identity.ts";
import { names } from "../api/names.ts";
import { type ChildObject, metadataOf } from "./metadata.ts";
import type { ResolvedCluster } from "./resolve.ts";

/**
 * Builds the scale target of a component's autoscaler; undefined without one.
 *
 * `replicas` is the initial value. The operator creates the object once and never applies it again: from then on the autoscaler owns
 * the field.
 */
export function nodeGroup(
  resolved: ResolvedCluster,
  component: Component,
  replicas: number,
): ChildObject<ChronikNodeGroup> | undefined {
  const autoscaler = resolved.autoscalers[component];
  if (autoscaler === undefined) return undefined;
  return {
    metadata: metadataOf(resolved, { name: names.component(resolved.name, component), component }),
    spec: {
      clusterName: resolved.name,
      component,
      replicas: Math.min(Math.max(replicas, autoscaler.minReplicas), autoscaler.maxReplicas),
    },
  };
}

/** Builds the HorizontalPodAutoscaler of a component; undefined if the spec has none. */
export function horizontalPodAutoscaler(
  resolved: ResolvedCluster,
  component: Component,
): ChildObject<HorizontalPodAutoscaler> | undefined {
  const autoscaler = resolved.autoscalers[component];
  if (autoscaler === undefined) return undefined;
  const { minReplicas, maxReplicas, behavior } = autoscaler;
  return {
    metadata: metadataOf(resolved, { name: names.autoscaler(resolved.name, component), component }),
    spec: {
      scaleTargetRef: { apiVersion, kind: "ChronikNodeGroup", name: names.component(resolved.name, component) },
      minReplicas,
      maxReplicas,
      metrics: metricsOf(autoscaler),
      behavior: behavior ?? defaultBehavior(component),
    },
  };
}

function metricsOf(autoscaler: DeepReadonly<AutoscalerSpec>): DeepReadonly<MetricSpec>[] {
  const resource = (name: "cpu" | "memory", averageUtilization: number | undefined): DeepReadonly<MetricSpec>[] =>
    averageUtilization === undefined
      ? []
      : [{ type: "Resource", resource: { name, target: { type: "Utilization", averageUtilization } } }];
  return [
    ...resource("cpu", autoscaler.targetCpuUtilizationPercentage),
    ...resource("memory", autoscaler.targetMemoryUtilizationPercentage),
    ...(autoscaler.customMetrics ?? []).map(({ name, targetType, targetValue }): DeepReadonly<MetricSpec> =>
      targetType === "AverageValue"
        ? {
            type: "Pods",
            pods: { metric: { name }, target: { type: "AverageValue", averageValue: targetValue } },
          }
        : { type: "External", external: { metric: { name }, target: { type: "Value", value: targetValue } } },
    ),
  ];
}

/** Returns the default behavior: scaling up is quick, scaling down slow, because it moves data for stateful components. */
function defaultBehavior(component: Component): DeepReadonly<HorizontalPodAutoscalerBehavior> {
  return {
    scaleUp: {
      stabilizationWindowSeconds: 60,
      policies: [{ type: "Pods", value: 2, periodSeconds: 60 }],
    },
    scaleDown: {
      stabilizationWindowSeconds: component === "search" ? 300 : 1800,
      policies: [{ type: "Pods", value: 1, periodSeconds: 300 }],
    },
  };
}
