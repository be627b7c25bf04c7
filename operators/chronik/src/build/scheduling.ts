import type { DeepReadonly } from "homeostat";
import type { Affinity, PodSpec, TopologySpreadConstraint } from "@homeostat/kubernetes/core/v1";
import type { Component } from "../api/identity.ts";
import { selectorLabels } from "../api/labels.ts";
import type { ResolvedCluster } from "./resolve.ts";

/** Minimum number of zones for a strict spread of controllers. With fewer zones, one zone would hold a majority anyway. */
const zonesMin = 3;

/** Builds the scheduling fields of a pod. `zones` is the number of zones, undefined if unknown. */
export function scheduling(
  resolved: ResolvedCluster,
  component: Component,
  zones: number | undefined,
): Pick<
  DeepReadonly<PodSpec>,
  "affinity" | "nodeSelector" | "priorityClassName" | "tolerations" | "topologySpreadConstraints"
> {
  const { nodeSelector, tolerations, priorityClassName, topologySpreadConstraints } = resolved.components[component];
  const affinity = affinityOf(resolved, component);
  const constraints = topologySpreadConstraints ?? defaultConstraints(resolved, component, zones);
  return {
    ...(Object.keys(affinity).length > 0 && { affinity }),
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector }),
    ...(tolerations.length > 0 && { tolerations }),
    ...(priorityClassName !== undefined && { priorityClassName }),
    ...(constraints.length > 0 && { topologySpreadConstraints: constraints }),
  };
}

/** Returns the affinity of the spec. An anti-affinity is added unless the spec has its own. */
function affinityOf(resolved: ResolvedCluster, component: Component): DeepReadonly<Affinity> {
  const { affinity } = resolved.components[component];
  const { mode, topologyKey } = resolved.antiAffinity;
  if (affinity.podAntiAffinity !== undefined || mode === "none") return affinity;
  const term = { labelSelector: { matchLabels: selectorLabels(resolved.name, component) }, topologyKey };
  return {
    ...affinity,
    podAntiAffinity:
      mode === "required"
        ? { requiredDuringSchedulingIgnoredDuringExecution: [term] }
        : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] },
  };
}

function defaultConstraints(
  { name, antiAffinity }: ResolvedCluster,
  component: Component,
  zones = 0,
): DeepReadonly<TopologySpreadConstraint>[] {
  const labelSelector = { matchLabels: selectorLabels(name, component) };
  const isStrict = component === "controller" && antiAffinity.mode === "required" && zones >= zonesMin;
  const constraint = (topologyKey: string, whenUnsatisfiable: "DoNotSchedule" | "ScheduleAnyway") => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable,
    labelSelector,
    // Counts only the pods of one revision, so that a rolling update of the Deployment ends evenly spread.
    ...(component === "search" && { matchLabelKeys: ["pod-template-hash"] }),
  });
  return [
    constraint("topology.kubernetes.io/zone", isStrict ? "DoNotSchedule" : "ScheduleAnyway"),
    constraint("kubernetes.io/hostname", "ScheduleAnyway"),
  ];
}
