import { type DeepReadonly, parseTime } from "@homeostat/core";
import type { Pod } from "@homeostat/kubernetes/core/v1";

/** Returns the age of a pod in milliseconds; never negative, whatever the clocks of the machines say. */
export function podAgeMs({ metadata }: DeepReadonly<Pod>, now: number): number {
  const { creationTimestamp } = metadata;
  return creationTimestamp === undefined ? 0 : Math.max(0, now - parseTime(creationTimestamp));
}

/**
 * Reports whether a pod is on a node and its containers are still being created. A pod that stays so usually cannot mount a
 * volume, which only its events tell: list them before {@link podProblems}.
 */
export function isPodHanging({ status }: DeepReadonly<Pod>): boolean {
  const { initContainerStatuses = [], containerStatuses = [] } = status ?? {};
  return [...initContainerStatuses, ...containerStatuses].some(({ state }) => {
    const reason = state?.waiting?.reason;
    return reason === "ContainerCreating" || reason === "PodInitializing";
  });
}

/** Reports whether a pod was chosen to make room, or lost its node: it did not fail by itself. */
export function isPodDisrupted({ status }: DeepReadonly<Pod>): boolean {
  return status?.conditions?.some((one) => one.type === "DisruptionTarget" && one.status === "True") ?? false;
}

/** Reports whether all containers of a pod have ended for good. A pod that is terminating has not: it may still serve requests. */
export function isPodFinished({ status }: DeepReadonly<Pod>): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}
