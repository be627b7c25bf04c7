import type { DeepReadonly } from "homeostat";
import type { ContainerStateTerminated } from "@homeostat/kubernetes/core/v1";
import { type Jobs, type ObservedJob, observeJob, observeService, phaseOf } from "./jobs.ts";
import { type ObservedLive, observeLive } from "./live.ts";
import { type ObservedPods, observeMasterExit, observePods } from "./pods.ts";
import type { ObserveScope } from "./scope.ts";

export interface Observed {
  readonly hasService: boolean;
  readonly masterJob: ObservedJob;
  readonly workerJob: ObservedJob;
  /** The two Jobs, or their last state before they were deleted. */
  readonly jobs: Jobs;
  readonly pods: ObservedPods;
  readonly masterExit: DeepReadonly<ContainerStateTerminated> | undefined;
  readonly live: ObservedLive;
}

/** Observes a running test. An error is never taken for an absent object. */
export async function observe(scope: ObserveScope): Promise<Observed> {
  const hasService = await observeService(scope);
  const masterJob = await observeJob(scope, "master");
  const workerJob = await observeJob(scope, "worker");
  const jobs: Jobs = { master: masterJob.job, worker: workerJob.job };
  const observed = await observePods(scope, jobs);
  const { pods } = observed;
  const failedJob = phaseOf(jobs.master) === "Failed" ? jobs.master : undefined;
  const masterExit = await observeMasterExit(scope, pods, failedJob);
  const live = observeLive(scope, { masterJob: jobs.master, pods });
  return { hasService, masterJob, workerJob, jobs, pods: observed, masterExit, live };
}
