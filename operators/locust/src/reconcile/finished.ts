import { jobEndOf } from "@homeostat/runtime";
import { evaluateHealth } from "../decide/health.ts";
import { isProvisional } from "../decide/next-phase.ts";
import { observePods } from "../observe/pods.ts";
import { driftStatus, resumedStatus } from "../status/plans.ts";
import { events } from "./events.ts";
import { releaseJobs } from "./release.ts";
import type { Next, TestScope } from "./scope.ts";

/** Reconciles a finished test. Nothing is created; the status reports later edits, and ended Jobs get their own TTL. */
export async function reconcileFinished(scope: TestScope): Promise<Next> {
  scope.live.forget(scope.context.key);
  const isResumed = isProvisional(scope.status) && (await hasStarted(scope));
  scope.setStatus(driftStatus(scope.generation, scope.startedGeneration));
  if (!isResumed) {
    await releaseJobs(scope);
    return undefined;
  }
  scope.setStatus(resumedStatus);
  await scope.save("update status from Jobs");
  scope.event(events.testRecovered);
  scope.context.log.info("Phase transition", { from: "Failed", to: "Running", locustTest: scope.context.name });
  // The next reconcile reports the running test.
  return { requeueAfterMs: 1 };
}

/** Reports whether all pods of the run are running and the Jobs have not ended. */
async function hasStarted(scope: TestScope): Promise<boolean> {
  const { owned } = scope.context;
  const master = owned.jobs.get(scope.nodeName("master"));
  const worker = owned.jobs.get(scope.nodeName("worker"));
  const isOfThisRun = master !== undefined && master.metadata.uid === scope.status.masterJobUID;
  if (!isOfThisRun || jobEndOf(master) !== undefined || jobEndOf(worker) !== undefined) return false;
  const observed = await observePods(scope, { master, worker });
  const { isHealthy, isHanging } = evaluateHealth(observed);
  const areRunning = observed.pods.every(({ pod }) => pod.status?.phase === "Running");
  return observed.pods.length > 0 && areRunning && isHealthy && !isHanging;
}
