import type { DeepReadonly } from "homeostat";
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from "@homeostat/kubernetes/policy/v1";
import type { Component } from "../api/identity.ts";
import { selectorLabels } from "../api/labels.ts";
import { names } from "../api/names.ts";
import { type ChildObject, metadataOf } from "./metadata.ts";
import type { ResolvedCluster } from "./resolve.ts";

type Bounds = Pick<DeepReadonly<PodDisruptionBudgetSpec>, "minAvailable" | "maxUnavailable">;

/** Builds the disruption budget of a component; undefined if it is disabled or would block every drain of a node. */
export function disruptionBudget(
  resolved: ResolvedCluster,
  component: Component,
  replicas: number,
): ChildObject<PodDisruptionBudget> | undefined {
  const bounds = resolved.budget.enabled ? boundsOf(resolved, component, replicas) : undefined;
  if (bounds === undefined) return undefined;
  return {
    metadata: metadataOf(resolved, { name: names.disruptionBudget(resolved.name, component), component }),
    spec: {
      ...bounds,
      selector: { matchLabels: selectorLabels(resolved.name, component) },
      unhealthyPodEvictionPolicy: component === "search" ? "AlwaysAllow" : "IfHealthyBudget",
    },
  };
}

function boundsOf(
  { budget, updateStrategy }: ResolvedCluster,
  component: Component,
  replicas: number,
): Bounds | undefined {
  const { minAvailable, maxUnavailable } = budget;
  const given =
    minAvailable !== undefined ? { minAvailable } : maxUnavailable !== undefined ? { maxUnavailable } : undefined;
  switch (component) {
    case "controller":
      return given === undefined ? { maxUnavailable: 1 } : controllerBounds(given, replicas);
    case "ingest":
      // A rolling update of two nodes at once could not proceed with a budget of one.
      return given ?? { maxUnavailable: updateStrategy.maxUnavailable };
    case "search":
      return given ?? (replicas >= 2 ? { maxUnavailable: 1 } : undefined);
  }
}

/** Returns bounds that keep a majority of the controllers, regardless of the spec. */
function controllerBounds({ minAvailable, maxUnavailable }: Bounds, replicas: number): Bounds {
  // With one or two controllers, any eviction loses the majority, but nodes must still be drainable.
  if (replicas <= 2) return { maxUnavailable: 1 };
  const majority = Math.floor(replicas / 2) + 1;
  const desired =
    minAvailable === undefined ? replicas - countOf(maxUnavailable ?? 1, replicas) : countOf(minAvailable, replicas);
  return { minAvailable: Math.max(desired, majority) };
}

/** Resolves a count or a percentage, rounded up as Kubernetes does. */
function countOf(value: number | string, replicas: number): number {
  return typeof value === "number" ? value : Math.ceil((replicas * Number.parseInt(value, 10)) / 100);
}
