import { type DeepReadonly, formatTime } from "@homeostat/core";
import type { JobCondition } from "@homeostat/kubernetes/batch/v1";
import { isSuspended, type StoredJob } from "./job.ts";
import { countOf, type DraftStatus } from "./track.ts";

type Conditions = readonly DeepReadonly<JobCondition>[];

/** Numbers of a status that change from run to run. */
export interface JobCounts {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
}

/** The status with which a run begins: a Job that is not suspended has started. */
export function startedStatus(job: StoredJob, now: number): DraftStatus {
  const { status = {} } = job;
  if (status.startTime !== undefined || isSuspended(job)) return status;
  return { ...status, startTime: formatTime(now) };
}

/** A status with other numbers. */
export function withCounts(status: DraftStatus, { active, ready, terminating }: JobCounts): DraftStatus {
  const { active: _, ...rest } = status;
  return { ...rest, ...countOf("active", active), ready, terminating };
}

/** What a change between suspended and not makes of a status; undefined when it is as it was. */
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
  // The time it may be active begins anew.
  return { status: { ...rest, startTime: formatTime(now), conditions }, event: { reason: "Resumed", note: message } };
}

/**
 * The conditions with one of them set; undefined when it is so already. One that is false and was not there is not added:
 * from nothing to false is no news.
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
