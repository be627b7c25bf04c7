import type { Component } from "../api/identity.ts";
import type { ObservedNodeGroups } from "../observe/observed.ts";

/** Limits of an autoscaler. */
export interface ReplicaRange {
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

/** Input of {@link desiredCounts}. */
export interface CountsInput {
  /** Counts of the spec. */
  readonly counts: Readonly<Record<Component, number>>;
  /** Ranges of autoscaled components; undefined for the others. */
  readonly autoscaling: Readonly<Partial<Record<Component, ReplicaRange | undefined>>>;
  readonly nodeGroups: ObservedNodeGroups;
}

/**
 * Returns the desired number of members of each component: the count of the autoscaler within its range, or that of the spec.
 *
 * Autoscaled controllers are lowered to an odd count: an even count needs one more vote and tolerates no more failures.
 */
export function desiredCounts({ counts, autoscaling, nodeGroups }: CountsInput): Readonly<Record<Component, number>> {
  const countOf = (component: Component): number => {
    const range = autoscaling[component];
    if (range === undefined) return counts[component];
    // Without a ChronikNodeGroup, which the operator is about to create, the spec is the starting value.
    return clamp(nodeGroups[component] ?? counts[component], range);
  };
  const controllers = countOf("controller");
  const isEven = autoscaling.controller !== undefined && controllers % 2 === 0;
  return { controller: isEven ? controllers - 1 : controllers, ingest: countOf("ingest"), search: countOf("search") };
}

function clamp(count: number, { minReplicas, maxReplicas }: ReplicaRange): number {
  return Math.max(minReplicas, Math.min(maxReplicas, count));
}
