import type { DeepReadonly } from "homeostat";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { jobEndOf } from "@homeostat/runtime";
import { annotations } from "../api/names.ts";
import { deadlineInMs, decideStop, stopRequest, type StopRequest } from "../decide/stop.ts";
import { checkAborts } from "../decide/thresholds.ts";
import { verdictOf } from "../decide/verdict.ts";
import type { LiveView } from "../live/live-view.ts";
import { observedMissing } from "../observe/live.ts";
import type { Observed } from "../observe/observe.ts";
import { events } from "./events.ts";
import { evaluateThresholds, finish, keepResults } from "./finish.ts";
import type { Next, TestScope } from "./scope.ts";

/** Takes the next step of a stop, if one is requested or in progress. Returns when to continue, or `"finished"`. */
export async function continueStop(scope: TestScope, { jobs, live }: Observed): Promise<Next | "finished"> {
  // A master that has ended needs no stop.
  if (jobEndOf(jobs.master) !== undefined) return undefined;
  const { view } = live;
  const request = requestFor(scope, view);
  for (;;) {
    const { stop, phase = "Running", progress } = scope.status;
    const stopTimeoutSeconds = live.masterArguments.stopTimeout;
    const step = decideStop({ phase, stop, request, view, stopTimeoutSeconds, now: scope.now });
    switch (step.type) {
      case "none":
      case "discard":
        return undefined;
      case "begin":
        scope.setStatus({
          fields: {
            stop: step.stop,
            ...(progress !== undefined && { progress: { ...progress, state: "stopping" } }),
          },
        });
        await scope.save("update status from Jobs");
        if (step.stop.trigger === "Threshold") scope.event(events.thresholdFailed(step.stop.reason));
        scope.event(events.stopRequested(step.stop.reason));
        if (scope.status.stop === undefined) return { requeueAfterMs: 1_000 };
        continue;
      case "stop-swarm":
        await stopSwarm(scope);
        return { requeueAfterMs: step.pauseMs };
      case "wait":
        return { requeueAfterMs: step.pauseMs };
      case "end":
        await end(scope, { jobs, view, isSwarmStopped: step.isSwarmStopped });
        return "finished";
    }
  }
}

/** Finishes a pending test and deletes its objects if a stop is requested. Reports whether it did. */
export async function discardIfStopped(scope: TestScope): Promise<boolean> {
  const { owned } = scope.context;
  const request = requestFor(scope, undefined);
  const { stop } = scope.status;
  const step = decideStop({ phase: "Pending", stop, request, view: undefined, stopTimeoutSeconds: 0, now: scope.now });
  if (step.type !== "discard") return false;
  scope.setStatus({ fields: { stop: step.stop } });
  await scope.save("update status from Jobs");
  for (const role of ["worker", "master"] as const) await owned.jobs.delete(scope.nodeName(role));
  for (const { metadata } of owned.services.list()) await owned.services.delete(metadata.name);
  await finishStopped(scope, undefined);
  return true;
}

/** Returns the time until the timeout of a test; undefined without a timeout, or while a stop is in progress. */
export function deadlineMs({ status, test, now }: TestScope): number | undefined {
  if (status.stop !== undefined) return undefined;
  return deadlineInMs({ startTime: status.startTime, timeoutSeconds: test.spec.timeoutSeconds, now });
}

function requestFor(scope: TestScope, view: LiveView | undefined): StopRequest | undefined {
  const { spec, metadata } = scope.test;
  const { startTime, ignoredStop, broken: known = [] } = scope.status;
  const missing = observedMissing(scope, view);
  const { hit, broken } = checkAborts({ thresholds: spec.thresholds ?? [], missing, view, broken: known });
  scope.setStatus({ fields: { broken: broken.length === 0 ? undefined : broken } });
  return stopRequest({
    annotation: metadata.annotations?.[annotations.stop],
    ignoredAnnotation: ignoredStop,
    broken: hit,
    startTime,
    timeoutSeconds: spec.timeoutSeconds,
    now: scope.now,
  });
}

/** Requests Locust to stop its users. After a failure the next reconcile decides again. */
async function stopSwarm(scope: TestScope): Promise<void> {
  const { key, signal, log } = scope.context;
  try {
    await scope.live.stop(key, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    log.info("Failed to stop the users of the master", { error });
  }
}

/** Stores the results, ends the Jobs, then finishes the test. In this order, another process can repeat each step after a crash. */
async function end(
  scope: TestScope,
  { jobs, view, isSwarmStopped }: Pick<Observed, "jobs"> & { view: LiveView | undefined; isSwarmStopped: boolean },
): Promise<void> {
  await keepResults(scope, view);
  const { stop } = scope.status;
  if (stop !== undefined && stop.swarmStopped !== true && isSwarmStopped) {
    scope.setStatus({ fields: { stop: { ...stop, swarmStopped: true } } });
    await scope.save("update status from Jobs");
  }
  await endJob(scope, jobs.worker);
  await endJob(scope, jobs.master);
  await finishStopped(scope, view);
}

/** The shortest deadline of a Job, with which the Job controller ends it immediately. */
const deadlineSeconds = 1;

/** Makes the Job controller end the pods of a Job. The Job itself stays, and its TTL applies. */
async function endJob(scope: TestScope, job: DeepReadonly<Job> | undefined): Promise<void> {
  if (job === undefined || jobEndOf(job) !== undefined || job.spec?.activeDeadlineSeconds === deadlineSeconds) return;
  const { client, namespace, signal } = scope.context;
  const { name = "", uid = "" } = job.metadata;
  // With the uid, the patch fails if another Job has the name now.
  const merge = { metadata: { uid }, spec: { activeDeadlineSeconds: deadlineSeconds } };
  await client.patch(Job, { namespace, name }, { merge }, { signal });
}

async function finishStopped(scope: TestScope, view: LiveView | undefined): Promise<void> {
  const verdict = verdictOf({
    job: undefined,
    stop: scope.status.stop,
    hasThresholds: (scope.test.spec.thresholds?.length ?? 0) > 0,
    thresholds: evaluateThresholds(scope, view),
  });
  if (verdict !== undefined) await finish(scope, verdict);
}
