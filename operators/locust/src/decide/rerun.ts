import type { DeepReadonly } from "homeostat";
import { withoutUndefined } from "@homeostat/core";
import type { LocustTestStatus, PastRun } from "../api/locust-test.ts";

export interface RerunInput {
  readonly status: DeepReadonly<LocustTestStatus>;
  readonly token: string | undefined;
  /** True if a Job of the last run still exists, even if it is being deleted. */
  readonly hasJobs: boolean;
}

export type RerunStep =
  /** No rerun is requested, or it has already started. */
  | { readonly type: "none" }
  /** The test is not finished: report it, and ignore the request. */
  | { readonly type: "refuse"; readonly token: string }
  /** Delete both Jobs in the background, and requeue after the pause. */
  | { readonly type: "clear"; readonly pauseMs: number }
  /** Both names are free: write the status of a new run, including {@link nextRun}. */
  | { readonly type: "start"; readonly token: string };

const pauseMs = 2_000;
const historyMax = 5;

export function decideRerun({ status, token = "", hasJobs }: RerunInput): RerunStep {
  if (token === "" || token === status.lastRerunToken) return { type: "none" };
  if (status.phase !== "Succeeded" && status.phase !== "Failed") return { type: "refuse", token };
  return hasJobs ? { type: "clear", pauseMs } : { type: "start", token };
}

/**
 * Returns the fields that the status of a new run takes over from the last one.
 *
 * They are written together with the rest of the new status. A crash before this write leaves the status of the old run
 * unchanged, so no run is added to the history twice.
 */
export function nextRun(
  status: DeepReadonly<LocustTestStatus>,
  token: string,
): { readonly run: number; readonly lastRerunToken: string; readonly history: readonly PastRun[] } {
  const { run = 1, startTime, completionTime, phase, startedGeneration, result, history = [] } = status;
  const { outcome, totalRequests, failRatio, p95ResponseTime } = result ?? {};
  const last: PastRun = {
    run,
    ...withoutUndefined({ startTime, completionTime, phase, outcome, totalRequests, failRatio, p95ResponseTime }),
    ...withoutUndefined({ startedGeneration }),
  };
  return { run: run + 1, lastRerunToken: token, history: [last, ...history].slice(0, historyMax) };
}
