import { formatTime, parseTime } from "@homeostat/core";
import type { Reason } from "../api/conditions.ts";
import type { Outcome, Result, ThresholdResult } from "../api/locust-test.ts";
import { judgeThresholds } from "../decide/thresholds.ts";
import { resultOf } from "../status/result.ts";
import { conditions } from "../status/conditions.ts";
import { driftPlan } from "../status/drift.ts";
import { events } from "./events.ts";
import { missingOf } from "../observe/live.ts";
import type { Next, Pass } from "./scope.ts";
import type { LiveView } from "../live/live-stats.ts";
import { thawed } from "./thawed.ts";

/** How a run ends. */
export interface End {
  readonly phase: "Succeeded" | "Failed";
  readonly reason: Reason<"TestCompleted">;
  readonly outcome: Outcome;
  /** Why it failed. */
  readonly cause?: string | undefined;
  readonly masterExitCode?: number | undefined;
  /** What the condition Ready says of a failure, when that is more than that the test failed. */
  readonly ready?: string | undefined;
}

/** Ends a run: writes its last status, then tells of it. Nothing follows but another run. */
export async function finish(pass: Pass, end: End): Promise<Next> {
  const { phase, reason, cause } = end;
  const { status, context } = pass;
  const result = resultAt(pass, end);
  const isFailed = phase === "Failed";
  const from = status.phase;
  pass.say(driftPlan(pass.generation, pass.startedGeneration));
  pass.say({
    fields: { phase, completionTime: formatTime(pass.now), result, broken: undefined, jobsSince: undefined },
    conditions: {
      TestCompleted: isFailed ? conditions.TestCompleted.failed(reason, cause) : conditions.TestCompleted.succeeded,
      ...(isFailed
        ? { Ready: end.ready === undefined ? conditions.Ready.testFailed : conditions.Ready.failed(end.ready) }
        : {}),
    },
  });
  await pass.save("Failed to update status from Jobs");
  if (status.stop !== undefined) pass.event(events.testStopped(totalsOf(result)));
  pass.event(isFailed ? events.testFailed(cause) : events.testCompleted);
  context.log.info("Phase transition", { from, to: phase, locustTest: context.name });
  pass.parts.metrics.ended(context.namespace, result.outcome, secondsOf(pass));
  leave(pass);
  return undefined;
}

/** Forgets what is only of interest while a test runs. */
export function leave(pass: Pass): void {
  pass.parts.live.forget(pass.context.key);
}

/** The result of a run with what is known now. */
export function resultAt(pass: Pass, { outcome, masterExitCode }: Pick<End, "outcome" | "masterExitCode">): Result {
  const view = pass.parts.live.view(pass.context.key);
  const { result } = pass.status;
  return resultOf({
    outcome,
    snapshot: view?.snapshot,
    isFinal: view?.isFinal ?? false,
    // What was seen by whoever worked before this process is in the status.
    peakUsers: Math.max(view?.peakUsers ?? 0, pass.status.progress?.peakUsers ?? 0),
    masterExitCode,
    thresholds: judged(pass, view),
    stored: result === undefined ? undefined : thawed<Result>(result),
  });
}

/** How the thresholds stand with the newest numbers; those of a snapshot that was written down when there are none. */
export function judged(pass: Pass, view: LiveView | undefined): ThresholdResult[] | undefined {
  const { thresholds } = pass.test.spec;
  const stored = pass.status.result?.thresholds;
  if (thresholds === undefined || thresholds.length === 0) return undefined;
  if (view?.snapshot === undefined) return stored === undefined ? undefined : thawed<ThresholdResult[]>(stored);
  return judgeThresholds(
    thresholds.map((threshold) => ({ ...threshold })),
    view.snapshot,
    missingOf(pass, view),
  );
}

function totalsOf({ totalRequests, failedRequests = 0 }: Result): string {
  if (totalRequests === undefined) return "before its numbers could be read";
  return `after ${totalRequests} requests, of which ${failedRequests} failed`;
}

/** How long a run took; never less than nothing, whatever the clock says. */
function secondsOf({ status: { startTime }, now }: Pass): number {
  return startTime === undefined ? 0 : Math.max(0, (now - parseTime(startTime)) / 1_000);
}
