import type { DeepReadonly } from "homeostat";
import { withoutUndefined } from "@homeostat/core";
import type { LocustTestStatus, PastRun } from "../api/locust-test.ts";

export interface RerunInput {
  readonly status: DeepReadonly<LocustTestStatus>;
  readonly token: string | undefined;
  /** Whether a Job of the last run still exists, even if it is being deleted. */
  readonly hasJobs: boolean;
}

export type RerunStep =
  /** No other run is requested, or it has begun. */
  | { readonly type: "none" }
  /** The test is not finished: report it, and ignore the request. */
  | { readonly type: "refuse"; readonly token: string }
  /** Delete both Jobs in the background, and look again after the pause. */
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
 * Returns what the status of a new run takes over from the last one.
 *
 * It is part of one write with the rest of the new status, so a crash before that leaves the old run as it was, and no run is
 * added to the history twice.
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
