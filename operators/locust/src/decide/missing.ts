import { jobEndOf } from "@homeostat/runtime";
import type { Reason } from "../api/locust-test.ts";
import type { ObservedJob } from "../observe/jobs.ts";

/** The name of a missing object in events and logs. */
export type ObjectTitle = "Master Service" | "Master Job" | "Worker Job";

export interface MissingInput {
  readonly hasService: boolean;
  readonly masterJob: ObservedJob;
  readonly workerJob: ObservedJob;
  readonly hasTtl: boolean;
  /** True if the spec has changed since the objects were created. */
  readonly isDrifted: boolean;
}

export type MissingStep =
  /** Nothing that matters is missing. */
  | { readonly type: "continue" }
  /** The result is lost, or the run cannot be restored. */
  | { readonly type: "fail"; readonly reason: Reason<"TestCompleted">; readonly cause: string }
  /** Recreate the missing objects. With `isMasterLost` the workers must restart together with the master. */
  | { readonly type: "recover"; readonly missing: readonly ObjectTitle[]; readonly isMasterLost: boolean };

/** Decides what to do about missing objects of a running test. The first rule that applies decides. */
export function decideMissing({ hasService, masterJob, workerJob, hasTtl, isDrifted }: MissingInput): MissingStep {
  const { isPresent: hasMaster, job: master } = masterJob;
  const hasWorkers = workerJob.isPresent || jobEndOf(workerJob.job) !== undefined;
  // OutcomeIsKnown: the master Job has ended, even if it was deleted since. Other missing objects no longer matter.
  if (master !== undefined && (jobEndOf(master) !== undefined || (hasMaster && hasService && hasWorkers))) {
    return { type: "continue" };
  }
  // NeverRepeatLoad: the Job may have ended and been removed by its TTL unobserved. Load that may have run is not repeated.
  if (master === undefined && hasTtl) return { type: "fail", reason: "ResultUnavailable", cause: resultLost };
  // NeverRestoreFromEditedSpec: the spec that the missing Job was created from no longer exists.
  if ((!hasMaster || !hasWorkers) && isDrifted) {
    const cause = `the ${hasMaster ? "worker" : "master"} Job was deleted and cannot be recreated because the spec has changed since then`;
    return { type: "fail", reason: "TestFailed", cause };
  }
  // RecreateDeletedObjects.
  return {
    type: "recover",
    missing: [
      ...(hasService ? [] : (["Master Service"] as const)),
      ...(hasMaster ? [] : (["Master Job"] as const)),
      ...(hasWorkers ? [] : (["Worker Job"] as const)),
    ],
    isMasterLost: !hasMaster,
  };
}

export const resultLost = "the master Job was deleted before its result was observed";
