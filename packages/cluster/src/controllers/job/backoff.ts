import { findCondition } from "@homeostat/core";
import type { DeepReadonly } from "@homeostat/core";
import type { ContainerStatus } from "@homeostat/kubernetes/core/v1";
import { sidecarNames, type SomePod, timeOf } from "../pods/pod-state.ts";

/** How long to wait after the first failure; twice as long after each further one. */
export const backoffBaseMs = 10_000;
/** Never longer than this. */
export const backoffCapMs = 600_000;

/** What is remembered of a Job's failures. */
export interface BackoffRecord {
  /** How many pods have failed since one succeeded. */
  readonly failures: number;
  /** When the last of them did, in milliseconds since 1970. */
  readonly lastFailureAt?: number | undefined;
}

/** Nothing has failed. */
export const noFailures: BackoffRecord = { failures: 0 };

/** The record after more pods have ended. A success forgets the failures that were not after it. */
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

/** How long to wait still before another pod is made. */
export function remainingMs({ failures, lastFailureAt }: BackoffRecord, now: number): number {
  if (failures === 0 || lastFailureAt === undefined) return 0;
  const wait = Math.min(backoffCapMs, backoffBaseMs * 2 ** Math.min(failures - 1, 30));
  return Math.max(0, lastFailureAt + wait - now);
}

/** When a pod ended: its last container did, it stopped being ready, or it was told to go; else when it was made. */
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

/** The time in the metadata is when its grace is over. */
function fromDeletion({ metadata }: SomePod): number | undefined {
  const over = timeOf(metadata.deletionTimestamp);
  return over === undefined ? undefined : over - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
}
