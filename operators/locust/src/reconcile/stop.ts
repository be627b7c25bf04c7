import type { DeepReadonly } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { annotations } from "../api/identity.ts";
import { checkAborts } from "../decide/abort.ts";
import { decideStop, type StopWish } from "../decide/stop.ts";
import { deadlineInMs, stopWish } from "../decide/stop-request.ts";
import { endOf } from "../observe/jobs.ts";
import { judged, finish } from "./finish.ts";
import { verdictOf } from "../decide/verdict.ts";
import { events } from "./events.ts";
import { missingOf, type Numbers } from "../observe/live.ts";
import type { Jobs } from "../observe/observe.ts";
import type { Next, Pass } from "./scope.ts";
import { keepResults } from "./results.ts";

/** How a stop stands after a pass has looked at it. */
export type Stopping =
  | { readonly is: "not wanted"; readonly next?: undefined }
  /** Locust has yet to stop its users. */
  | { readonly is: "under way"; readonly next: Next }
  /** The test is over. */
  | { readonly is: "over"; readonly next?: undefined };

/** Takes a running test that is to end one step further: 21.5. */
export async function stop(pass: Pass, about: { readonly jobs: Jobs; readonly numbers: Numbers }): Promise<Stopping> {
  const { jobs, numbers } = about;
  // A master that has ended by itself needs nobody to stop it.
  if (endOf(jobs.master) !== undefined) return { is: "not wanted" };
  const wish = wishOf(pass, numbers);
  for (;;) {
    const { stop: asked, phase = "Running" } = pass.status;
    const step = decideStop({
      phase,
      stop: asked,
      wish,
      view: numbers.view,
      stopTimeoutSeconds: numbers.settings.stopTimeout,
      now: pass.now,
    });
    switch (step.type) {
      case "nothing":
      case "discard":
        return { is: "not wanted" };
      case "begin": {
        const { progress } = pass.status;
        pass.say({
          fields: {
            stop: step.stop,
            ...(progress === undefined ? {} : { progress: { ...progress, state: "stopping" } }),
          },
          conditions: {},
        });
        await pass.save("Failed to update status from Jobs");
        if (step.stop.trigger === "Threshold") pass.event(events.thresholdFailed(step.stop.reason));
        pass.event(events.stopRequested(step.stop.reason));
        if (pass.status.stop === undefined) return { is: "under way", next: { requeueAfterMs: 1_000 } };
        continue;
      }
      case "stop-swarm":
        await stopSwarm(pass);
        return { is: "under way", next: { requeueAfterMs: step.pauseMs } };
      case "wait":
        return { is: "under way", next: { requeueAfterMs: step.pauseMs } };
      case "end":
        await end(pass, { jobs, numbers, isSwarmStopped: step.isSwarmStopped });
        return { is: "over" };
    }
  }
}

/** Ends a test that has not begun to run: what was made is deleted, and it is over at once. Whether it was to end. */
export async function discard(pass: Pass): Promise<boolean> {
  const { owned } = pass.context;
  const wish = wishOf(pass, undefined);
  const step = decideStop({
    phase: "Pending",
    stop: pass.status.stop,
    wish,
    view: undefined,
    stopTimeoutSeconds: 0,
    now: pass.now,
  });
  if (step.type !== "discard") return false;
  pass.say({ fields: { stop: step.stop }, conditions: {} });
  await pass.save("Failed to update status from Jobs");
  for (const role of ["worker", "master"] as const) await owned.jobs.delete(pass.nodeName(role));
  for (const { metadata } of owned.services.list()) await owned.services.delete(metadata.name);
  await conclude(pass, undefined);
  return true;
}

/** In how long the time of a test is over; undefined when it has no limit, or a stop is under way already. */
export function deadlineMs(pass: Pass): number | undefined {
  const { startTime, stop: asked } = pass.status;
  if (asked !== undefined) return undefined;
  return deadlineInMs({ startTime, timeoutSeconds: pass.test.spec.timeoutSeconds, now: pass.now });
}

function wishOf(pass: Pass, numbers: Numbers | undefined): StopWish | undefined {
  const { spec, metadata } = pass.test;
  const { startTime, ignoredStop } = pass.status;
  const { hit, broken } = checkAborts({
    thresholds: (spec.thresholds ?? []).map((threshold) => ({ ...threshold })),
    missing: missingOf(pass, numbers?.view),
    view: numbers?.view,
    broken: pass.status.broken ?? [],
  });
  // Written with whatever else there is to say of this pass.
  pass.say({ fields: { broken: broken.length === 0 ? undefined : broken }, conditions: {} });
  return stopWish({
    annotation: metadata.annotations?.[annotations.stop],
    ignoredAnnotation: ignoredStop,
    broken: hit,
    startTime,
    timeoutSeconds: spec.timeoutSeconds,
    now: pass.now,
  });
}

/** Asks Locust to stop its users. That it cannot be asked is no reason to stop trying: the next pass decides anew. */
async function stopSwarm(pass: Pass): Promise<void> {
  const { key, signal, log } = pass.context;
  try {
    await pass.parts.live.stop(key, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    log.info("The master could not be asked to stop its users", { error });
  }
}

/** Keeps the numbers, ends the Jobs, and then the test; so that each of these can be done again by another process. */
async function end(
  pass: Pass,
  about: { readonly jobs: Jobs; readonly numbers: Numbers; readonly isSwarmStopped: boolean },
): Promise<void> {
  const { jobs, numbers, isSwarmStopped } = about;
  const { stop: asked } = pass.status;
  await keepResults(pass, numbers.view);
  if (asked !== undefined && asked.swarmStopped !== true && isSwarmStopped) {
    pass.say({ fields: { stop: { ...asked, swarmStopped: true } }, conditions: {} });
    await pass.save("Failed to update status from Jobs");
  }
  await endJob(pass, jobs.worker);
  await endJob(pass, jobs.master);
  await conclude(pass, numbers);
}

/** The shortest that a Job can be told to take: its controller ends it at once. */
const deadlineSeconds = 1;

/** Has the Job controller end the pods of a Job. The Job stays, and is cleared away in its time. */
async function endJob(pass: Pass, job: DeepReadonly<Job> | undefined): Promise<void> {
  if (job === undefined || endOf(job) !== undefined || job.spec?.activeDeadlineSeconds === deadlineSeconds) return;
  const { client, namespace, signal } = pass.context;
  const { name = "", uid = "" } = job.metadata;
  // The uid makes it fail for another Job of that name.
  const merge = { metadata: { uid }, spec: { activeDeadlineSeconds: deadlineSeconds } };
  await client.patch(Job, { namespace, name }, { merge }, { signal });
}

async function conclude(pass: Pass, numbers: Numbers | undefined): Promise<void> {
  const verdict = verdictOf({
    job: undefined,
    stop: pass.status.stop,
    hasThresholds: (pass.test.spec.thresholds?.length ?? 0) > 0,
    thresholds: judged(pass, numbers?.view),
  });
  if (verdict !== undefined) await finish(pass, verdict);
}
