import type { DeepReadonly } from "@homeostat/core";
import type { Job } from "@homeostat/kubernetes/batch/v1";

/** The end of a Job. */
export interface JobEnd {
  readonly type: "Complete" | "Failed";
  /** The reason of the condition, such as `BackoffLimitExceeded`; empty when there is none. */
  readonly reason: string;
  readonly message: string;
}

/**
 * Returns how a Job ended: the first true condition of `Complete` and `Failed`; undefined while its pods may still run.
 * `SuccessCriteriaMet` and `FailureTarget` are set earlier, while pods are still terminating, and do not count.
 */
export function jobEndOf(job: DeepReadonly<Job> | undefined): JobEnd | undefined {
  for (const { type, status, reason = "", message = "" } of job?.status?.conditions ?? []) {
    if ((type === "Complete" || type === "Failed") && status === "True") return { type, reason, message };
  }
  return undefined;
}
