import { conditions } from "./conditions.ts";
import type { StatusPlan } from "./plan.ts";

/** The status of a run that has not begun. What an earlier run has left is gone. */
export function initialStatus({ replicas, run }: { readonly replicas: number; readonly run: number }): StatusPlan {
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
      stop: undefined,
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
