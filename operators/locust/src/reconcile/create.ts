import { formatTime } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import type { Service } from "@homeostat/kubernetes/core/v1";
import type { CreatedObject } from "@homeostat/runtime";
import { exporterName } from "../build/exporter.ts";
import { masterJob, workerJob } from "../build/jobs.ts";
import type { Made } from "../build/objects.ts";
import { masterService, webUiService, webUiUrl } from "../build/services.ts";
import { conditions } from "../status/conditions.ts";
import { isDrifted } from "../status/drift.ts";
import { describeProblems } from "../validation/problem.ts";
import { testProblems } from "../validation/rules.ts";
import { readTime } from "../status/read-time.ts";
import { creationProblem, isCertain } from "../decide/create-failure.ts";
import { CreateFailedError } from "./errors.ts";
import { events } from "./events.ts";
import { finish } from "./finish.ts";
import { resultLost } from "../decide/missing.ts";
import type { Next, Pass } from "./scope.ts";
import { run } from "./running.ts";

/** How soon to look again for something that is on its way out. */
const leftoverMs = 2_000;

/** What could be made of what a test needs, and whether all of it was made just now. */
type Making =
  | {
      readonly is: "made";
      readonly master: CreatedObject<Job>;
      readonly worker: CreatedObject<Job>;
      readonly isNew: boolean;
    }
  | { readonly is: "waiting"; readonly next: Next };

/** Makes what a test needs, and starts it: 17.3. Also what is missing of one that was started before: 17.6. */
export async function create(pass: Pass): Promise<Next> {
  const { context, test } = pass;
  const { log, name, namespace, owned } = context;
  const { spec } = test;
  log.info("LocustTest created", { name, namespace });
  log.debug("Custom resource information", {
    image: spec.image,
    masterCommand: spec.master.command,
    workerCommand: spec.worker.command,
    workerReplicas: spec.worker.replicas,
    configMap: spec.testFiles?.configMapRef,
  });
  const jobs = { master: owned.jobs.get(pass.nodeName("master")), worker: owned.jobs.get(pass.nodeName("worker")) };
  const isComplete = jobs.master !== undefined && jobs.worker !== undefined;
  const isResumed = pass.status.startedGeneration !== undefined;
  // The spec of a run that has begun was judged then; what it says now is of no concern to it.
  const problems = isComplete && isResumed ? "" : describeProblems(testProblems(test));
  if (problems !== "") return refuse(pass, problems);
  await pass.confirm();
  if (!isComplete && isResumed && isDrifted(pass.generation, pass.status.startedGeneration)) {
    const cause = "a Job was deleted, and cannot be made again because the spec has changed since";
    return finish(pass, { phase: "Failed", reason: "TestFailed", outcome: "Error", cause });
  }
  if (jobs.master === undefined && mayHaveRun(pass)) {
    return finish(pass, { phase: "Failed", reason: "ResultUnavailable", outcome: "Unknown", cause: resultLost });
  }

  const making = await makeAll(pass);
  if (making.is === "waiting") return making.next;
  await start(pass, making);
  // What was there before may have got anywhere since.
  return making.isNew ? { requeueAfterMs: pass.parts.config.podStartupGraceSeconds * 1_000 } : run(pass);
}

/** What keeps a test from being run, in the words of the webhook, which may not have been asked. */
async function refuse(pass: Pass, text: string): Promise<Next> {
  pass.say({ fields: {}, conditions: { Ready: conditions.Ready.failed(text) } });
  return finish(pass, { phase: "Failed", reason: "TestFailed", outcome: "Error", cause: text, ready: text });
}

/** A little longer than it takes to make two Jobs, run them, and clear them away at once. */
const shortestRunMs = 5_000;

/**
 * Whether the Jobs may have been made, have run and been cleared away before anybody wrote down that the test was started.
 *
 * Since when there may be any is in the status. If that is younger than a Job is kept, or there is not even a Service, they
 * were never made.
 */
function mayHaveRun(pass: Pass): boolean {
  const { ttlSeconds, status, now } = pass;
  const service = pass.context.owned.services.get(pass.nodeName("master"));
  const since = readTime(status.jobsSince);
  if (ttlSeconds === undefined || service === undefined || since === undefined) return false;
  return now - since >= ttlSeconds * 1_000 + shortestRunMs;
}

/** Makes everything in its order. After a failure nothing further is tried. */
async function makeAll(pass: Pass): Promise<Making> {
  const { owned, log } = pass.context;
  const { plan } = pass;
  const running = owned.jobs.get(pass.nodeName("master"));
  // A Service that is made anew has what the running master has, whatever the spec says by now.
  const hasMetrics = running?.spec?.template.spec?.initContainers?.some(({ name }) => name === exporterName) ?? false;
  const webUi = webUiService(plan);
  // As long as no Job was asked for, or it was refused, there is none.
  let isBare = running === undefined;
  try {
    const service = await make(pass, "Service", masterService(plan, running === undefined ? {} : { hasMetrics }));
    log.debug("Master Service reconciled", { name: pass.nodeName("master") });
    const others = webUi === undefined ? [] : [await make(pass, "Service", webUi)];
    if (isBare) await announce(pass, masterJob(plan));
    isBare = false;
    const master = await makeMaster(pass, masterJob(plan), () => (isBare = true));
    log.debug("Master Job reconciled", { name: pass.nodeName("master") });
    const worker = await makeJob(pass, workerJob(plan));
    log.debug("Worker Job reconciled", { name: pass.nodeName("worker") });
    return { is: "made", master, worker, isNew: [service, ...others, master, worker].every(({ isNew }) => isNew) };
  } catch (error) {
    return { is: "waiting", next: explain(pass, error, isBare) };
  }
}

/**
 * Writes down that there may be Jobs from now on, when the status says that there are none because they were refused.
 *
 * Otherwise Jobs that were made at last, and cleared away while no operator ran, would be made and run once more. The API server
 * is asked first whether it would take one now, so that a test that waits for its quota does not write with each attempt.
 */
async function announce(pass: Pass, job: Made<Job>): Promise<void> {
  if (pass.ttlSeconds === undefined || pass.status.jobsSince !== undefined) return;
  const { client, namespace, signal } = pass.context;
  const { name } = job.metadata;
  await client.create(Job, { ...job, metadata: { ...job.metadata, namespace, name } }, { dryRun: true, signal });
  pass.say({ fields: { jobsSince: formatTime(pass.now) }, conditions: { Ready: conditions.Ready.creating } });
  await pass.save("Failed to initialize status");
}

/** Makes the master Job; says so when it is certain that it was not made. */
async function makeMaster(pass: Pass, object: Made<Job>, onRefusal: () => void): Promise<CreatedObject<Job>> {
  try {
    return await makeJob(pass, object);
  } catch (error) {
    if (isCertain(error)) onRefusal();
    throw error;
  }
}

async function make(pass: Pass, kind: "Service", object: Made<Service>): Promise<CreatedObject<Service>> {
  return noted(pass, kind, object.metadata.name, await pass.context.owned.services.create(object));
}

async function makeJob(pass: Pass, object: Made<Job>): Promise<CreatedObject<Job>> {
  return noted(pass, "Job", object.metadata.name, await pass.context.owned.jobs.create(object));
}

function noted<T>(pass: Pass, kind: string, name: string, made: CreatedObject<T>): CreatedObject<T> {
  const { log, namespace } = pass.context;
  if (made.isNew) {
    pass.event(events.created(kind, name));
    log.info("Created resource", { kind, name, namespace });
  } else log.debug("Resource already exists", { kind, name });
  return made;
}

/** What comes after an object that could not be made. */
function explain(pass: Pass, error: unknown, isBare: boolean): Next {
  const problem = creationProblem(error);
  switch (problem.type) {
    case "wait":
      return { requeueAfterMs: leftoverMs };
    case "quiet":
      return undefined;
    case "failed": {
      pass.context.log.error("Failed to create resource", { error });
      pass.say({
        fields: isBare ? { jobsSince: undefined } : {},
        conditions: { Ready: conditions.Ready.failed(problem.message) },
      });
      if (problem.isRefused) pass.event(events.createFailed(problem.message));
      throw new CreateFailedError(`Something that LocustTest ${pass.context.key} needs`, { cause: error });
    }
  }
}

/** Writes down that the test runs. */
async function start(pass: Pass, { master, worker }: Making & { is: "made" }): Promise<void> {
  const { generation, status, plan } = pass;
  const { log, name } = pass.context;
  const isFirst = status.startTime === undefined;
  const url = webUiUrl(plan);
  pass.say({
    fields: {
      phase: "Running",
      observedGeneration: generation,
      startedGeneration: status.startedGeneration ?? generation,
      startTime: status.startTime ?? formatTime(pass.now),
      masterJobUID: master.object.metadata.uid,
      workerJobUID: worker.object.metadata.uid,
      jobsSince: undefined,
      ...(url === undefined ? {} : { webUIURL: url }),
    },
    conditions: { Ready: conditions.Ready.created, TestCompleted: conditions.TestCompleted.running },
  });
  await pass.save("Failed to update status after resource creation");
  if (isFirst) pass.event(events.testStarted);
  log.info("All resources created successfully", {
    locustTest: name,
    masterService: pass.nodeName("master"),
    masterJob: pass.nodeName("master"),
    workerJob: pass.nodeName("worker"),
  });
  log.info("Phase transition", { from: "Pending", to: "Running", locustTest: name });
}
