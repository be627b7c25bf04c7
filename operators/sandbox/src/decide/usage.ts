// Maximum resource usage of forks: the sum of their limits.

import { isQuantity, parseQuantity, type Quantity } from "@homeostat/core";
import type { DeepReadonly } from "homeostat";
import type { ResourceRequirements } from "@homeostat/kubernetes/core/v1";
import type { TemplateContainer, TemplateSpec } from "../build/baseline.ts";

/** Sums of limits and replicas. */
export interface Usage {
  readonly cpu: Quantity;
  readonly memory: Quantity;
  readonly pods: number;
}

/** The parts of a fork that determine its usage: the pod spec with limits, and the replicas while it is awake. */
export interface CountedFork {
  readonly spec: TemplateSpec;
  readonly replicas: number;
}

const zero = parseQuantity("0");

/** No usage. */
export const noUsage: Usage = { cpu: zero, memory: zero, pods: 0 };

/** Returns the sum of two usages. */
export function addUsage(a: Usage, b: Usage): Usage {
  return { cpu: a.cpu.add(b.cpu), memory: a.memory.add(b.memory), pods: a.pods + b.pods };
}

/**
 * Returns the total usage of forks. Pass the replicas of the entry even while a fork is idle, because waking it does not check the quota again.
 */
export function usageOf(forks: readonly CountedFork[]): Usage {
  return forks.map(usageOfOne).reduce(addUsage, noUsage);
}

function usageOfOne({ spec, replicas }: CountedFork): Usage {
  return {
    cpu: podLimit(spec, "cpu").times(replicas),
    memory: podLimit(spec, "memory").times(replicas),
    pods: replicas,
  };
}

/**
 * Returns the limit of a whole pod as the scheduler computes it: containers and sidecars run together; init containers run one after the
 * other, each beside the sidecars started before it.
 */
export function podLimit(spec: TemplateSpec, resource: "cpu" | "memory"): Quantity {
  const ofPod = limitOf(spec.resources, resource);
  if (ofPod !== undefined) return ofPod;
  const limit = ({ resources }: TemplateContainer): Quantity => limitOf(resources, resource) ?? zero;
  let sidecars = zero;
  let starting = zero;
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === "Always") sidecars = sidecars.add(limit(container));
    const atOnce = container.restartPolicy === "Always" ? sidecars : sidecars.add(limit(container));
    if (atOnce.isGreaterThan(starting)) starting = atOnce;
  }
  const running = spec.containers.map(limit).reduce((sum, each) => sum.add(each), sidecars);
  return starting.isGreaterThan(running) ? starting : running;
}

function limitOf(resources: DeepReadonly<ResourceRequirements> | undefined, name: string): Quantity | undefined {
  const limit = resources?.limits?.[name];
  return limit !== undefined && isQuantity(String(limit)) ? parseQuantity(String(limit)) : undefined;
}
