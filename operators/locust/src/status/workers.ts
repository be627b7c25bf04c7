import type { DeepReadonly } from "@homeostat/core";
import type { Job } from "@homeostat/kubernetes/batch/v1";
import { conditions } from "./conditions.ts";
import type { StatusPlan } from "./plan.ts";

/** What the number of connected workers is found from. */
export interface WorkerCount {
  readonly workerJob: DeepReadonly<Job> | undefined;
  /** What the master counts, when that is known and fresh. */
  readonly live: number | undefined;
  readonly expected: number;
}

/**
 * What the status says about the workers: the master's own count, else the active pods of the worker Job.
 *
 * Nothing when neither is known, and nothing once workers have succeeded: the last number stays.
 */
export function workersPlan({ workerJob, live, expected }: WorkerCount): StatusPlan {
  const { succeeded = 0, active = 0 } = workerJob?.status ?? {};
  const connected = succeeded > 0 ? undefined : (live ?? (workerJob === undefined ? undefined : active));
  if (connected === undefined) return { fields: {}, conditions: {} };
  return {
    fields: { connectedWorkers: connected },
    conditions: { WorkersConnected: conditions.WorkersConnected.counted(connected, expected) },
  };
}
