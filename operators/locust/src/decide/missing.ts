import type { DeepReadonly } from "@homeostat/core";
import type { Job } from "@homeostat/kubernetes/batch/v1";
import type { Reason } from "../api/conditions.ts";
import { endOf } from "../observe/jobs.ts";
import type { ObjectTitle } from "../reconcile/events.ts";

/** A Job that was looked up. */
export type LookedUp =
  | { readonly is: "there"; readonly job: DeepReadonly<Job> }
  /** `last` is how it was before it went, if somebody saw it go. */
  | { readonly is: "gone"; readonly last: DeepReadonly<Job> | undefined };

/** What there is of a running test. */
export interface Found {
  readonly hasService: boolean;
  readonly masterJob: LookedUp;
  readonly workerJob: LookedUp;
  /** Whether finished Jobs are cleared away by themselves. */
  readonly hasTtl: boolean;
  /** Whether the spec has changed since the objects were made. */
  readonly isDrifted: boolean;
}

/** What to do about what is there, and what is not. */
export type MissingStep =
  /** Everything that matters is there, or has ended. */
  | { readonly do: "go on"; readonly masterJob: DeepReadonly<Job>; readonly workerJob: DeepReadonly<Job> | undefined }
  /** The run cannot be told or cannot be restored. */
  | { readonly do: "fail"; readonly reason: Reason<"TestCompleted">; readonly cause: string }
  /** Make anew what is missing; with `isMasterLost`, the workers have to start again with their master. */
  | { readonly do: "recover"; readonly missing: readonly ObjectTitle[]; readonly isMasterLost: boolean };

/** What to do about the objects of a running test. The first rule that fits counts. */
export function decideMissing(found: Found): MissingStep {
  const { hasService, masterJob, workerJob, hasTtl, isDrifted } = found;
  const master = knownOf(masterJob);
  const worker = knownOf(workerJob);
  // 1. The outcome is known, be it from a Job that is gone: what else is missing does not matter any more.
  if (master !== undefined && endOf(master) !== undefined) return { do: "go on", masterJob: master, workerJob: worker };
  const hasWorkers = workerJob.is === "there" || endOf(worker) !== undefined;
  if (masterJob.is === "there" && hasService && hasWorkers) {
    return { do: "go on", masterJob: masterJob.job, workerJob: worker };
  }
  // 2. It may have ended and been cleared away while nobody looked. Load is not run again by guessing.
  if (masterJob.is === "gone" && master === undefined && hasTtl) {
    return { do: "fail", reason: "ResultUnavailable", cause: resultLost };
  }
  // 3. What the missing Job was made from is gone, too.
  const isJobMissing = masterJob.is === "gone" || !hasWorkers;
  if (isJobMissing && isDrifted) return { do: "fail", reason: "TestFailed", cause: specLost(masterJob) };
  // 4.
  return {
    do: "recover",
    missing: [
      ...(hasService ? [] : (["Master Service"] as const)),
      ...(masterJob.is === "there" ? [] : (["Master Job"] as const)),
      ...(hasWorkers ? [] : (["Worker Job"] as const)),
    ],
    isMasterLost: masterJob.is === "gone",
  };
}

/** The cause when nobody knows what came of a run. */
export const resultLost = "the master Job is gone, and its result with it; nobody saw how it ended";

function specLost(masterJob: LookedUp): string {
  const title = masterJob.is === "gone" ? "master" : "worker";
  return `the ${title} Job was deleted, and cannot be made again because the spec has changed since`;
}

function knownOf(looked: LookedUp): DeepReadonly<Job> | undefined {
  return looked.is === "there" ? looked.job : looked.last;
}
