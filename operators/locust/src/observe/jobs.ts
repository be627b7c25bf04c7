import type { DeepReadonly } from "@homeostat/core";
import type { Job } from "@homeostat/kubernetes/batch/v1";
import type { Phase } from "../api/locust-test.ts";

/** How a Job has ended. */
export interface JobEnd {
  readonly type: "Complete" | "Failed";
  /** Why, as the Job controller says: `BackoffLimitExceeded`. */
  readonly reason: string;
  readonly message: string;
}

/** How a Job has ended: the first of Complete and Failed that is true. `SuccessCriteriaMet` and `FailureTarget` only announce it. */
export function endOf(job: DeepReadonly<Job> | undefined): JobEnd | undefined {
  for (const { type, status, reason = "", message = "" } of job?.status?.conditions ?? []) {
    if ((type === "Complete" || type === "Failed") && status === "True") return { type, reason, message };
  }
  return undefined;
}

/** The phase that the master Job alone stands for. */
export function phaseOf(masterJob: DeepReadonly<Job> | undefined): Phase {
  const end = endOf(masterJob);
  if (end !== undefined) return end.type === "Complete" ? "Succeeded" : "Failed";
  return (masterJob?.status?.active ?? 0) > 0 ? "Running" : "Pending";
}

/** Whether nothing follows a phase but another run. */
export function isTerminal(phase: Phase | undefined): phase is "Succeeded" | "Failed" {
  return phase === "Succeeded" || phase === "Failed";
}
