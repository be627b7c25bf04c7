import type { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import { names } from "../api/names.ts";
import type { Wanted } from "./resolved-tenant.ts";
import { type Made, metadataOf, selectorOf } from "./objects.ts";

/** How many pods of a component may be taken away at a time; undefined where there is one, which must be free to move. */
export function disruptionBudget(wanted: Wanted, component: "redis" | "server"): Made<PodDisruptionBudget> | undefined {
  if (wanted[component].replicas <= 1) return undefined;
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: metadataOf(wanted, { name: names[component](wanted.name), component }),
    spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf(wanted, component) } },
  };
}
