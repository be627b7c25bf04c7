import type { DeepReadonly } from "@homeostat/core";
import type { Job } from "@homeostat/kubernetes/batch/v1";

/** The final condition of a Job. */
export interface JobEnd {
  readonly type: "Complete" | "Failed";
  /** Reason of the condition, such as `BackoffLimitExceeded`; empty if it has none. */
  readonly reason: string;
  readonly message: string;
}

/**
 * Returns the final condition of a Job: `Complete` or `Failed` with the status True; undefined while its pods may still be running.
 * `SuccessCriteriaMet` and `FailureTarget` are set earlier, while pods are still terminating, and do not count.
 */
export function jobEndOf(job: DeepReadonly<Job> | undefined): JobEnd | undefined {
  for (const { type, status, reason = "", message = "" } of job?.status?.conditions ?? []) {
    if ((type === "Complete" || type === "Failed") && status === "True") return { type, reason, message };
  }
  return undefined;
}
