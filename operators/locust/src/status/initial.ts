import { formatTime } from "@homeostat/core";
import { conditions } from "./conditions.ts";
import type { StatusPlan } from "./plan.ts";

/** The status of a run that has not begun. What an earlier run has left is gone. */
export function initialStatus({
  replicas,
  run,
  now,
}: {
  readonly replicas: number;
  readonly run: number;
  readonly now: number;
}): StatusPlan {
  return {
    fields: {
      phase: "Pending",
      expectedWorkers: replicas,
      connectedWorkers: 0,
      run,
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
      // They are made next, and nothing is written down before that.
      jobsSince: formatTime(now),
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
