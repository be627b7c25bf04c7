import { type DeepReadonly, type ConditionValue, combineStatusPlans, type StatusPlan } from "homeostat";
import { formatTime, withoutUndefined } from "@homeostat/core";
import type { Job } from "@homeostat/kubernetes/batch/v1";
import type { LocustTest, Reason, Result, Test } from "../api/locust-test.ts";
import { unreadTtlSecondsMin } from "../build/jobs.ts";
import type { Verdict } from "../decide/verdict.ts";
import type { Jobs } from "../observe/jobs.ts";
import type { ObservedLive } from "../observe/live.ts";
import { conditions } from "./conditions.ts";
import { progressOf, runPlan, throttled } from "./progress.ts";

type Plan = StatusPlan<LocustTest>;

/** Status fields of a run whose Jobs may exist from now on, before their start is recorded. */
export function mayHaveJobs(now: number): { readonly jobsSince: string; readonly jobsKeptSeconds: number } {
  return { jobsSince: formatTime(now), jobsKeptSeconds: unreadTtlSecondsMin };
}

/** Status fields of a run that has no Jobs, or whose start is recorded. */
export const noJobs = { jobsSince: undefined, jobsKeptSeconds: undefined } as const;

/** Returns the status of a run that has not started. Removes all fields of an earlier run. */
export function initialStatus(options: {
  readonly replicas: number;
  readonly run: number;
  readonly now: number;
}): Plan {
  return {
    fields: {
      phase: "Pending",
      expectedWorkers: options.replicas,
      connectedWorkers: 0,
      run: options.run,
      startTime: undefined,
      completionTime: undefined,
      startedGeneration: undefined,
      masterJobUID: undefined,
      workerJobUID: undefined,
      workers: undefined,
      progress: undefined,
      result: undefined,
      broken: undefined,
      stop: undefined,
      // The Jobs are created next, without another status write before.
      ...mayHaveJobs(options.now),
    },
    conditions: {
      Ready: conditions.Ready.creating,
      WorkersConnected: conditions.WorkersConnected.waiting,
      TestCompleted: conditions.TestCompleted.notStarted,
      PodsHealthy: conditions.PodsHealthy.starting,
      SpecDrifted: undefined,
      LiveStats: undefined,
    },
  };
}

export interface StartedInput {
  readonly test: Test;
  readonly master: DeepReadonly<Job>;
  readonly worker: DeepReadonly<Job>;
  readonly webUIURL: string | undefined;
  readonly now: number;
}

/** Returns the status of a test whose objects all exist. */
export function startedStatus({ test: { metadata, status }, master, worker, webUIURL, now }: StartedInput): Plan {
  const { generation = 0 } = metadata;
  return {
    fields: {
      phase: "Running",
      observedGeneration: generation,
      startedGeneration: status?.startedGeneration ?? generation,
      startTime: status?.startTime ?? formatTime(now),
      masterJobUID: master.metadata.uid,
      workerJobUID: worker.metadata.uid,
      ...noJobs,
      ...withoutUndefined({ webUIURL }),
    },
    conditions: { Ready: conditions.Ready.created, TestCompleted: conditions.TestCompleted.running },
  };
}

/** Reports whether the spec has changed since the objects of the run were created. */
export function isDrifted(generation: number, startedGeneration: number | undefined): boolean {
  return startedGeneration !== undefined && generation > startedGeneration;
}

/** Returns the observed generation and, if the spec was edited after the start, the condition `SpecDrifted`. */
export function driftStatus(generation: number, startedGeneration: number | undefined): Plan {
  return {
    fields: { observedGeneration: generation, ...withoutUndefined({ startedGeneration }) },
    conditions: isDrifted(generation, startedGeneration) ? { SpecDrifted: conditions.SpecDrifted.ignored } : {},
  };
}

export interface WorkersInput {
  readonly workerJob: DeepReadonly<Job> | undefined;
  /** The master's own count, when it is known and fresh. */
  readonly live: number | undefined;
  readonly expected: number;
}

/**
 * Returns the number of connected workers: the master's count, or else the active pods.
 *
 * After workers have succeeded the plan is empty, so the last count stays: finished workers are not missing workers. The Job controller
 * first records a finished pod in `uncountedTerminatedPods`, when it is neither active nor counted in `succeeded`.
 */
export function workersStatus({ workerJob, live, expected }: WorkersInput): Plan {
  const { succeeded = 0, active = 0, uncountedTerminatedPods } = workerJob?.status ?? {};
  const finished = succeeded + (uncountedTerminatedPods?.succeeded?.length ?? 0);
  const connected = finished > 0 ? undefined : (live ?? (workerJob === undefined ? undefined : active));
  if (connected === undefined) return { fields: {}, conditions: {} };
  return {
    fields: { connectedWorkers: connected },
    conditions: { WorkersConnected: conditions.WorkersConnected.counted(connected, expected) },
  };
}

export interface RunningInput {
  readonly test: Test;
  readonly startedGeneration: number | undefined;
  readonly jobs: Jobs;
  readonly live: ObservedLive;
}

/** Returns the status of a run that continues. */
export function runningStatus({ test, startedGeneration, jobs, live }: RunningInput): Plan {
  const { spec, metadata, status = {} } = test;
  const { view, connected } = live;
  const replicas = status.expectedWorkers ?? spec.worker.replicas;
  const expected = connected === undefined ? replicas : live.expected;
  const workers = workersStatus({ workerJob: jobs.worker, live: connected, expected });
  const LiveStats = liveCondition(live);
  const plan = runPlan(live.masterArguments, { isAutostart: spec.master.autostart });
  const isStopping = status.stop !== undefined;
  const next = view && progressOf({ view, plan, stored: status.progress, isStopping });
  const { connectedWorkers = status.connectedWorkers } = workers.fields;
  const shown = throttled({
    stored: { progress: status.progress, workers: status.workers },
    next: { progress: next ?? status.progress, workers: workerStates(live) ?? status.workers },
    isUrgent:
      status.conditions?.find(({ type }) => type === "LiveStats")?.reason !== LiveStats.reason ||
      connectedWorkers !== status.connectedWorkers ||
      view?.isFinal === true,
  });
  const fields = withoutUndefined({
    masterJobUID: jobs.master?.metadata.uid,
    workerJobUID: jobs.worker?.metadata.uid,
    ...shown,
  });
  const drift = driftStatus(metadata.generation ?? 0, startedGeneration);
  return combineStatusPlans(combineStatusPlans(workers, drift), { fields, conditions: { LiveStats } });
}

function liveCondition({ view, isEnabled }: ObservedLive): ConditionValue<Reason<"LiveStats">> {
  if (view !== undefined) return { status: view.reason === "Streaming", reason: view.reason, message: view.message };
  return isEnabled ? conditions.LiveStats.waiting : conditions.LiveStats.disabled;
}

function workerStates({ view }: ObservedLive): NonNullable<LocustTest["status"]>["workers"] {
  if (view?.snapshot?.workers === undefined) return undefined;
  const { maxCpuPercent, ...counts } = view.snapshot.workers;
  return { ...counts, ...withoutUndefined({ maxCpuPercent }) };
}

/** The end of a run. */
export interface End extends Verdict {
  readonly masterExitCode?: number | undefined;
  /** Message of the condition `Ready`, if it has more details than "Test failed". */
  readonly ready?: string | undefined;
}

/** Returns the status of a run that has ended. */
export function endedStatus(end: End, { result, now }: { result: DeepReadonly<Result>; now: number }): Plan {
  const { phase, reason, cause, ready } = end;
  const fields = { phase, completionTime: formatTime(now), result, broken: undefined, ...noJobs };
  if (phase === "Succeeded") return { fields, conditions: { TestCompleted: conditions.TestCompleted.succeeded } };
  return {
    fields,
    conditions: {
      TestCompleted: conditions.TestCompleted.failed(reason, cause),
      Ready: ready === undefined ? conditions.Ready.testFailed : conditions.Ready.failed(ready),
    },
  };
}

/** The status of a failed test whose pods have started later: the rule StartupFailureIsProvisional. */
export const resumedStatus: Plan = {
  fields: { phase: "Running", completionTime: undefined, result: undefined },
  conditions: {
    Ready: conditions.Ready.created,
    TestCompleted: conditions.TestCompleted.running,
    PodsHealthy: conditions.PodsHealthy.healthy,
  },
};
