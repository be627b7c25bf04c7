import { type DeepReadonly, findCondition, parseTime, type Stored } from "@homeostat/core";
import type { Pod } from "@homeostat/kubernetes/core/v1";

/** A pod as it is read from a cache. */
export type StoredPod = Stored<Pod>;

/** A pod, stored or yet to be made. */
export type SomePod = DeepReadonly<Pod>;

/** Whether all containers of a pod have ended for good. */
export function isTerminal({ status }: SomePod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** Whether a pod works or is going to: it has neither ended nor been told to go. */
export function isActive(pod: SomePod): boolean {
  return !isTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** Whether a pod has been told to go and has not ended yet. */
export function isTerminating(pod: SomePod): boolean {
  return !isTerminal(pod) && pod.metadata.deletionTimestamp !== undefined;
}

/** Whether a pod says that it is ready. */
export function isReady({ status }: SomePod): boolean {
  return findCondition(status?.conditions, "Ready")?.status === "True";
}

/** Since when a pod has been ready, in milliseconds since 1970; undefined when it is not, or does not say. */
export function readySince({ status }: SomePod): number | undefined {
  const condition = findCondition(status?.conditions, "Ready");
  return condition?.status === "True" ? timeOf(condition.lastTransitionTime) : undefined;
}

/** Whether a pod has been ready for long enough. */
export function isAvailable(pod: SomePod, minReadySeconds: number, now: number): boolean {
  if (!isReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = readySince(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= now;
}

/** After how many milliseconds the next ready pod becomes available; undefined when none does. */
export function msUntilAvailable(pods: readonly SomePod[], minReadySeconds: number, now: number): number | undefined {
  if (minReadySeconds <= 0) return undefined;
  const waits = pods
    .map((pod) => readySince(pod))
    .filter((since) => since !== undefined)
    .map((since) => since + minReadySeconds * 1000 - now)
    .filter((ms) => ms > 0);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** A time as text, in milliseconds since 1970. */
export function timeOf(text: string | null | undefined): number | undefined {
  return text === undefined || text === null || text === "" ? undefined : parseTime(text);
}

/** The names of a pod's sidecars: init containers that go on. */
export function sidecarNames({ spec }: SomePod): ReadonlySet<string> {
  const sidecars = spec.initContainers?.filter(({ restartPolicy }) => restartPolicy === "Always") ?? [];
  return new Set(sidecars.map(({ name }) => name));
}
