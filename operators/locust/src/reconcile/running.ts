import { jobEndOf } from "@homeostat/runtime";
import { totalOf } from "../live/snapshot.ts";
import { failureKey, type Health, evaluateHealth, earliest } from "../decide/health.ts";
import { decideMissing } from "../decide/missing.ts";
import { failureCause, type NextPhase, nextPhase } from "../decide/next-phase.ts";
import { verdictOf } from "../decide/verdict.ts";
import { isTerminal, phaseOf } from "../observe/jobs.ts";
import { type Observed, observe } from "../observe/observe.ts";
import { type End, isDrifted, runningStatus } from "../status/plans.ts";
import { events } from "./events.ts";
import { evaluateThresholds, finish, keepResults } from "./finish.ts";
import { recover } from "./recover.ts";
import type { Next, TestScope } from "./scope.ts";
import { continueStop, deadlineMs } from "./stop.ts";

export async function reconcileRunning(scope: TestScope): Promise<Next> {
  const observed = await observe(scope);
  const { jobs, live, masterExit } = observed;

  const stop = await continueStop(scope, observed);
  if (stop === "finished") return undefined;
  const isStopping = stop !== undefined;

  const missing = decideMissing({
    ...observed,
    hasTtl: scope.ttlSeconds !== undefined,
    isDrifted: isDrifted(scope.generation, scope.startedGeneration),
  });
  scope.context.recordDecision("missing objects", missing.type === "fail" ? `fail, ${missing.reason}` : missing.type);
  if (missing.type === "recover") return isStopping ? stop : recover(scope, missing);
  if (missing.type === "fail") {
    const outcome = missing.reason === "ResultUnavailable" ? "Unknown" : "Error";
    return finish(scope, { phase: "Failed", reason: missing.reason, cause: missing.cause, outcome });
  }

  const health = evaluateHealth(observed.pods);
  const connected = live.connected ?? jobs.worker?.status?.active ?? 0;
  const next = nextPhase({
    derived: phaseOf(jobs.master),
    workerEnd: jobEndOf(jobs.worker),
    health,
    masterCause: failureCause(masterExit, jobEndOf(jobs.master)),
    isStopping,
    isEnding: masterExit !== undefined || live.view?.isFinal === true,
    mayLoseWorkers: scope.test.spec.worker.backoffLimit > 0 && connected >= 1,
  });

  scope.context.recordDecision("phase", next.phase);
  scope.context.recordDecision("pods", health.reason);
  reportHealth(scope, health);
  if (isTerminal(next.phase)) {
    await keepResults(scope, live.view);
    return finish(scope, endOfRun(scope, observed, { phase: next.phase, cause: next.cause }));
  }
  if (live.view?.isFinal === true) await keepResults(scope, live.view);
  const { test, startedGeneration } = scope;
  scope.setStatus(runningStatus({ test, startedGeneration, jobs, live }));
  await scope.save("update status from Jobs");
  const afterMs = earliest(health.requeueAfterMs, stop?.requeueAfterMs, deadlineMs(scope));
  return afterMs === undefined ? undefined : { requeueAfterMs: Math.max(afterMs, 1) };
}

/** Sets PodsHealthy. A failure is reported once, until its reason or the affected pods change. */
function reportHealth(scope: TestScope, { isHealthy, reason, message, failedPods, isHeldByQuota }: Health): void {
  const before = scope.status.conditions?.find(({ type }) => type === "PodsHealthy");
  if (!isHealthy && (before?.status !== "False" || failureKey(before.message) !== failureKey(message))) {
    scope.event(events.podFailure(message));
    scope.context.log.info("Pod health check failed", { reason, failedPods });
  }
  if (isHealthy && isHeldByQuota && before?.message !== message) scope.event(events.createFailed(message));
  scope.setStatus({ conditions: { PodsHealthy: { status: isHealthy, reason, message } } });
}

/** Returns how a run ended: by its statistics where they decide, else by its Jobs and pods. */
function endOfRun(
  scope: TestScope,
  { jobs, live: { view }, masterExit }: Observed,
  { phase, cause }: NextPhase & { readonly phase: "Succeeded" | "Failed" },
): End {
  const { status, test } = scope;
  const masterExitCode = masterExit?.exitCode;
  const verdict = verdictOf({
    job: jobEndOf(jobs.master)?.type,
    masterExitCode,
    stop: status.stop,
    hasThresholds: (test.spec.thresholds?.length ?? 0) > 0,
    thresholds: evaluateThresholds(scope, view),
    failedRequests: totalOf(view?.snapshot ?? { rows: [] })?.failures ?? status.result?.failedRequests,
  });
  if (verdict === undefined) return { phase, reason: "TestFailed", outcome: "Error", cause, masterExitCode };
  return { ...verdict, cause: verdict.cause ?? cause, masterExitCode };
}
