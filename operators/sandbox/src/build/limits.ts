// Limits of the containers of a fork. Every container has one, so the quota of a sandbox bounds what its forks use.

import { isQuantity, parseQuantity } from "@homeostat/core";
import type { DeepReadonly } from "homeostat";
import type { ResourceRequirements } from "@homeostat/kubernetes/core/v1";
import type { TemplateContainer, TemplateSpec } from "./baseline.ts";

/** Limits of containers that have neither a limit nor a request. */
export interface DefaultLimits {
  readonly cpu: string;
  readonly memory: string;
}

const resourceNames = ["cpu", "memory"] as const;

/**
 * Returns a pod spec in which every container has a CPU and a memory limit: its own limit, otherwise its request, otherwise the
 * default. A request above the limit is lowered to it. If the pod itself has a limit, its containers need none: the pod's limit
 * applies to all of them.
 */
export function withLimits(spec: TemplateSpec, defaults: DefaultLimits): TemplateSpec {
  const ofPod = spec.resources?.limits ?? {};
  const needed = resourceNames.filter((name) => ofPod[name] === undefined);
  const limit = (container: TemplateContainer): TemplateContainer => ({
    ...container,
    resources: limited(container.resources ?? {}, needed, defaults),
  });
  const { initContainers } = spec;
  return {
    ...spec,
    containers: spec.containers.map(limit),
    ...(initContainers !== undefined && { initContainers: initContainers.map(limit) }),
  };
}

function limited(
  resources: DeepReadonly<ResourceRequirements>,
  names: readonly (keyof DefaultLimits)[],
  defaults: DefaultLimits,
): DeepReadonly<ResourceRequirements> {
  const limits = { ...resources.limits };
  const requests = { ...resources.requests };
  for (const name of names) {
    const request = requests[name];
    const limit = limits[name] ?? request ?? defaults[name];
    limits[name] = limit;
    if (request !== undefined && isAbove(request, limit)) requests[name] = limit;
  }
  return {
    ...resources,
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(requests).length > 0 && { requests }),
  };
}

/** Compares quantities. Returns false for invalid values, which the API server rejects. */
function isAbove(request: string | number, limit: string | number): boolean {
  const [a, b] = [String(request), String(limit)];
  return isQuantity(a) && isQuantity(b) && parseQuantity(a).isGreaterThan(parseQuantity(b));
}
