import { conditions } from "./conditions.ts";
import type { StatusPlan } from "./plan.ts";

/** The status of a run that has not begun. */
export function initialStatus({ replicas, run }: { readonly replicas: number; readonly run: number }): StatusPlan {
  return {
    fields: { phase: "Pending", expectedWorkers: replicas, connectedWorkers: 0, run },
    conditions: {
      Ready: conditions.Ready.creating,
      WorkersConnected: conditions.WorkersConnected.waiting,
      TestCompleted: conditions.TestCompleted.notStarted,
      PodsHealthy: conditions.PodsHealthy.starting,
    },
  };
}
