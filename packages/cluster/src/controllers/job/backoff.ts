import { findCondition } from "@homeostat/core";
import type { DeepReadonly } from "@homeostat/core";
import type { ContainerStatus } from "@homeostat/kubernetes/core/v1";
import { sidecarNames, type SomePod, timeOf } from "../pods/pod-state.ts";

/** Back-off after the first failed pod; it doubles with each further one. */
export const backoffBaseMs = 10_000;
/** Longest back-off. */
export const backoffCapMs = 600_000;

/** Failures of a Job that its back-off is computed from. */
export interface BackoffRecord {
  /** Number of pods that failed since the last success. */
  readonly failures: number;
  /** Time of the last failure, in milliseconds since the epoch. */
  readonly lastFailureAt?: number | undefined;
}

export const noFailures: BackoffRecord = { failures: 0 };

/**
 * Returns the record after more pods have finished. A success resets the failures that happened before it
 * (`newBackoffRecord` in backoff_utils.go).
 */
export function nextRecord(
  record: BackoffRecord,
  { succeeded, failed }: { readonly succeeded: readonly SomePod[]; readonly failed: readonly SomePod[] },
): BackoffRecord {
  const failedAt = failed.map(finishedAt).toSorted((a, b) => a - b);
  if (succeeded.length === 0) {
    const last = failedAt.at(-1);
    return last === undefined ? record : { failures: record.failures + failedAt.length, lastFailureAt: last };
  }
  const lastSuccess = Math.max(...succeeded.map(finishedAt));
  const after = failedAt.filter((at) => at > lastSuccess);
  return { failures: after.length, lastFailureAt: after.at(-1) };
}

/** Returns the remaining back-off before the next pod may be created. */
export function remainingMs({ failures, lastFailureAt }: BackoffRecord, now: number): number {
  if (failures === 0 || lastFailureAt === undefined) return 0;
  const wait = Math.min(backoffCapMs, backoffBaseMs * 2 ** Math.min(failures - 1, 30));
  return Math.max(0, lastFailureAt + wait - now);
}

/**
 * Returns the finish time of a pod (`getFinishedTime`): when its last container terminated; else when it became not
 * ready; else when its deletion was requested; else its creation.
 */
export function finishedAt(pod: SomePod): number {
  return fromContainers(pod) ?? fromReadiness(pod) ?? fromDeletion(pod) ?? timeOf(pod.metadata.creationTimestamp) ?? 0;
}

function fromContainers(pod: SomePod): number | undefined {
  const names = sidecarNames(pod);
  const statuses = [
    ...(pod.status?.containerStatuses ?? []),
    ...(pod.status?.initContainerStatuses?.filter(({ name }) => names.has(name)) ?? []),
  ];
  const times = statuses.map(endOf);
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 || known.length < times.length ? undefined : Math.max(...known);
}

function endOf({ state }: DeepReadonly<ContainerStatus>): number | undefined {
  return timeOf(state?.terminated?.finishedAt);
}

function fromReadiness({ status }: SomePod): number | undefined {
  const condition = findCondition(status?.conditions, "Ready");
  return condition?.status === "False" ? timeOf(condition.lastTransitionTime) : undefined;
}

/** `deletionTimestamp` is the end of the grace period; the request was that much earlier. */
function fromDeletion({ metadata }: SomePod): number | undefined {
  const over = timeOf(metadata.deletionTimestamp);
  return over === undefined ? undefined : over - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
}
