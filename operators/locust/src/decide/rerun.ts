import type { LocustTestStatus, PastRun } from "../api/locust-test.ts";

/** What the decision about another run is made of. */
export interface RerunInput {
  readonly status: LocustTestStatus;
  /** The value of the annotation `locust.io/rerun`. */
  readonly token: string | undefined;
  /** Whether one of the two Jobs of the last run is still there, be it on its way out. */
  readonly hasJobs: boolean;
}

/** The next step to another run. */
export type RerunStep =
  /** Nobody asks for one, or it was begun already. */
  | { readonly type: "nothing" }
  /** It was asked for too early: say so in a Warning event, and do nothing. */
  | { readonly type: "refuse"; readonly token: string }
  /** Delete both Jobs in the background, and look again after the pause. */
  | { readonly type: "clear"; readonly pauseMs: number }
  /** Both names are free: write the status of a new run, with {@link nextRun} in it, and go on as with a new test. */
  | { readonly type: "start"; readonly token: string };

const pauseMs = 2_000;

/** Decides the next step to another run (21.6). */
export function decideRerun({ status, token = "", hasJobs }: RerunInput): RerunStep {
  if (token === "" || token === status.lastRerunToken) return { type: "nothing" };
  if (status.phase !== "Succeeded" && status.phase !== "Failed") return { type: "refuse", token };
  return hasJobs ? { type: "clear", pauseMs } : { type: "start", token };
}

/** What the status of a new run takes over from the last one. */
export type NextRun = Required<Pick<LocustTestStatus, "run" | "lastRerunToken" | "history">>;

const historyMax = 5;

/**
 * The number and the memory of a new run.
 *
 * It all goes into one write with the rest of the new status, so that a crash before it leaves the old run as it was, and
 * no run is ever noted twice.
 */
export function nextRun(status: LocustTestStatus, token: string): NextRun {
  const run = status.run ?? 1;
  return {
    run: run + 1,
    lastRerunToken: token,
    history: [pastRun(status, run), ...(status.history ?? [])].slice(0, historyMax),
  };
}

function pastRun(status: LocustTestStatus, run: number): PastRun {
  const { startTime, completionTime, phase, startedGeneration, result } = status;
  return {
    run,
    ...(startTime === undefined ? {} : { startTime }),
    ...(completionTime === undefined ? {} : { completionTime }),
    ...(phase === undefined ? {} : { phase }),
    ...(result === undefined ? {} : { outcome: result.outcome }),
    ...(result?.totalRequests === undefined ? {} : { totalRequests: result.totalRequests }),
    ...(result?.failRatio === undefined ? {} : { failRatio: result.failRatio }),
    ...(result?.p95ResponseTime === undefined ? {} : { p95ResponseTime: result.p95ResponseTime }),
    ...(startedGeneration === undefined ? {} : { startedGeneration }),
  };
}
