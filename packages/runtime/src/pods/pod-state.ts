import { type DeepReadonly, parseTime } from "@homeostat/core";
import type { Pod } from "@homeostat/kubernetes/core/v1";

/** Returns the age of a pod in milliseconds; never negative, even if the clocks of the machines differ. */
export function podAgeMs({ metadata }: DeepReadonly<Pod>, now: number): number {
  const { creationTimestamp } = metadata;
  return creationTimestamp === undefined ? 0 : Math.max(0, now - parseTime(creationTimestamp));
}

/**
 * Reports whether a pod is on a node and its containers are still being created. A pod that stays in this state usually cannot mount a volume. Only
 * its events tell: list them and pass them to {@link podProblems}.
 */
export function isPodHanging({ status }: DeepReadonly<Pod>): boolean {
  const { initContainerStatuses = [], containerStatuses = [] } = status ?? {};
  return [...initContainerStatuses, ...containerStatuses].some(({ state }) => {
    const reason = state?.waiting?.reason;
    return reason === "ContainerCreating" || reason === "PodInitializing";
  });
}

/** Reports whether a pod was preempted, evicted, or lost its node: its containers did not fail. */
export function isPodDisrupted({ status }: DeepReadonly<Pod>): boolean {
  return status?.conditions?.some((one) => one.type === "DisruptionTarget" && one.status === "True") ?? false;
}

/** Reports whether all containers of a pod have exited and are not restarted. False for a terminating pod, which may still serve requests. */
export function isPodFinished({ status }: DeepReadonly<Pod>): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}
