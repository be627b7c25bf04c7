import { type DeepReadonly, findCondition, parseTime, type Stored } from "@homeostat/core";
import type { Pod } from "@homeostat/kubernetes/core/v1";

export type StoredPod = Stored<Pod>;

/** A pod, stored or not created yet. */
export type SomePod = DeepReadonly<Pod>;

/** Reports whether the phase of a pod is Succeeded or Failed. */
export function isTerminal({ status }: SomePod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** Reports whether a pod is neither terminal nor being deleted. */
export function isActive(pod: SomePod): boolean {
  return !isTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** Reports whether a pod is being deleted and not terminal yet. */
export function isTerminating(pod: SomePod): boolean {
  return !isTerminal(pod) && pod.metadata.deletionTimestamp !== undefined;
}

/** Reports whether the Ready condition of a pod is true. */
export function isReady({ status }: SomePod): boolean {
  return findCondition(status?.conditions, "Ready")?.status === "True";
}

/** Returns when a pod became ready, in milliseconds since the epoch; undefined when it is not ready. */
export function readySince({ status }: SomePod): number | undefined {
  const condition = findCondition(status?.conditions, "Ready");
  return condition?.status === "True" ? timeOf(condition.lastTransitionTime) : undefined;
}

/** Reports whether a pod has been ready for at least `minReadySeconds`. */
export function isAvailable(pod: SomePod, minReadySeconds: number, now: number): boolean {
  if (!isReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = readySince(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= now;
}

/** Returns the time until the next ready pod becomes available, in milliseconds; undefined when none will. */
export function msUntilAvailable(pods: readonly SomePod[], minReadySeconds: number, now: number): number | undefined {
  if (minReadySeconds <= 0) return undefined;
  const waits = pods
    .map((pod) => readySince(pod))
    .filter((since) => since !== undefined)
    .map((since) => since + minReadySeconds * 1000 - now)
    .filter((ms) => ms > 0);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** Parses a time into milliseconds since the epoch; undefined when it is missing. */
export function timeOf(text: string | null | undefined): number | undefined {
  return text === undefined || text === null || text === "" ? undefined : parseTime(text);
}

/** Returns the names of the sidecars: init containers with `restartPolicy: Always`. */
export function sidecarNames({ spec }: SomePod): ReadonlySet<string> {
  const sidecars = spec.initContainers?.filter(({ restartPolicy }) => restartPolicy === "Always") ?? [];
  return new Set(sidecars.map(({ name }) => name));
}
