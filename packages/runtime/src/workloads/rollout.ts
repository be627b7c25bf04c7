import type { DeepReadonly } from "@homeostat/core";
import type { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";

/** A workload whose pods are replaced when its template changes. */
export type RollingWorkload = DeepReadonly<Deployment> | DeepReadonly<StatefulSet>;

/** The progress of a workload in rolling out its current template. */
export interface Rollout {
  readonly exists: boolean;
  /** Number of ready pods. */
  readonly ready: number;
  /** Number of pods with the current template. */
  readonly updated: number;
  /** True if all desired pods are ready and have the current template. */
  readonly isComplete: boolean;
}

/**
 * Returns the progress of a rollout towards `desired` replicas, for a status that is shown to users.
 *
 * `desired` comes from the primary object: the spec of the workload may still have the previous number. A StatefulSet with one
 * revision is rolled out even when it has not counted updated pods; use {@link isRolloutComplete} where each pod must be counted.
 *
 * @example
 * const { ready, isComplete } = rolloutOf(owned.deployments.get(name), spec.replicas);
 */
export function rolloutOf(workload: RollingWorkload | undefined, desired: number): Rollout {
  if (workload === undefined) return { exists: false, ready: 0, updated: 0, isComplete: false };
  const { spec, status } = workload;
  const { readyReplicas: ready = 0, updatedReplicas: updated = 0, replicas = 0 } = status ?? {};
  const isStatefulSet = spec !== undefined && "serviceName" in spec;
  // A StatefulSet with equal revisions has no pods of another revision, even if `updatedReplicas` is not set.
  const hasOneRevision =
    status !== undefined && "updateRevision" in status && status.currentRevision === status.updateRevision;
  // A Deployment counts surplus pods in `replicas` until they are deleted.
  const isRolled = isStatefulSet ? updated === desired || hasOneRevision : updated === desired && replicas === desired;
  return { exists: true, ready, updated, isComplete: isStatusCurrent(workload) && isRolled && ready === desired };
}

/** Reports whether a workload has exactly the number of pods in its spec, all of them updated and ready. */
export function isRolloutComplete(workload: RollingWorkload | undefined): boolean {
  if (workload?.spec === undefined || workload.status === undefined) return false;
  const { replicas: desired = 1 } = workload.spec;
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0 } = workload.status;
  return isStatusCurrent(workload) && [updatedReplicas, readyReplicas, replicas].every((count) => count === desired);
}

/** Reports whether the controller has observed the current spec. Before that, the status describes the previous one. */
export function isStatusCurrent({ metadata, status }: RollingWorkload): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}
