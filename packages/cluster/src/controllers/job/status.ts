import { type DeepReadonly, formatTime } from "@homeostat/core";
import type { JobCondition } from "@homeostat/kubernetes/batch/v1";
import { isSuspended, type StoredJob } from "./job.ts";
import { countOf, type DraftStatus } from "./track.ts";

type Conditions = readonly DeepReadonly<JobCondition>[];

/** Counts in a status that are computed on each reconcile. */
export interface JobCounts {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
}

/** Returns the status at the start of a reconcile; a Job that is not suspended gets a start time. */
export function startedStatus(job: StoredJob, now: number): DraftStatus {
  const { status = {} } = job;
  if (status.startTime !== undefined || isSuspended(job)) return status;
  return { ...status, startTime: formatTime(now) };
}

/** Returns a status with other counts. */
export function withCounts(status: DraftStatus, { active, ready, terminating }: JobCounts): DraftStatus {
  const { active: _, ...rest } = status;
  return { ...rest, ...countOf("active", active), ready, terminating };
}

/** Returns status and event of a change of `spec.suspend`; undefined when nothing changed. */
export function suspension(
  job: StoredJob,
  status: DraftStatus,
  now: number,
): { readonly status: DraftStatus; readonly event: { readonly reason: string; readonly note: string } } | undefined {
  const isNow = isSuspended(job);
  const [value, reason, message] = isNow
    ? (["True", "JobSuspended", "Job suspended"] as const)
    : (["False", "JobResumed", "Job resumed"] as const);
  const conditions = withCondition(status.conditions ?? [], { type: "Suspended", status: value, reason, message }, now);
  if (conditions === undefined) return undefined;
  const { startTime: _, ...rest } = status;
  if (isNow) return { status: { ...rest, conditions }, event: { reason: "Suspended", note: message } };
  // Resuming resets the start time, and with it the active deadline.
  return { status: { ...rest, startTime: formatTime(now), conditions }, event: { reason: "Resumed", note: message } };
}

/**
 * Returns the conditions with one of them set; undefined when nothing changes. A condition that is False and did not
 * exist is not added (`ensureJobConditionStatus`).
 */
export function withCondition(
  conditions: Conditions,
  condition: Pick<JobCondition, "type" | "status"> & { readonly reason: string; readonly message: string },
  now: number,
): Conditions | undefined {
  const index = conditions.findIndex(({ type }) => type === condition.type);
  const before = conditions[index];
  if (before === undefined && condition.status === "False") return undefined;
  const isSame =
    before?.status === condition.status && before.reason === condition.reason && before.message === condition.message;
  if (isSame) return undefined;
  const time = formatTime(now);
  const after = { ...condition, lastProbeTime: time, lastTransitionTime: time };
  return before === undefined ? [...conditions, after] : conditions.with(index, after);
}
