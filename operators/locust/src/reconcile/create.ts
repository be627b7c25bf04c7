import { classifyApiFailure } from "homeostat";
import { tryParseTime } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import type { Service } from "@homeostat/kubernetes/core/v1";
import type { CreatedObject } from "@homeostat/runtime";
import { overriddenFlags } from "../build/command-line.ts";
import { exporterName } from "../build/containers.ts";
import { masterJob, workerJob } from "../build/jobs.ts";
import type { Desired } from "../build/objects.ts";
import { masterService, webUiService, webUiUrl } from "../build/services.ts";
import { decideCreateFailure } from "../decide/create-failure.ts";
import { earliest } from "../decide/health.ts";
import { resultLost } from "../decide/missing.ts";
import { conditions } from "../status/conditions.ts";
import { isDrifted, mayHaveJobs, noJobs, startedStatus } from "../status/plans.ts";
import { describeProblems, type TestProblem } from "../validation/problem.ts";
import { specProblems, testProblems } from "../validation/rules.ts";
import { CreateFailedError } from "./errors.ts";
import { events } from "./events.ts";
import { finish } from "./finish.ts";
import { reconcileRunning } from "./running.ts";
import type { Next, TestScope } from "./scope.ts";
import { deadlineMs } from "./stop.ts";

/** Requeue interval while an object of the same name is being deleted. */
const leftoverMs = 2_000;

/** Creates the objects of a pending test and starts it; after a recovery, creates only what is missing. */
export async function create(scope: TestScope): Promise<Next> {
  const { owned } = scope.context;
  logCreation(scope);
  const hasMaster = owned.jobs.get(scope.nodeName("master")) !== undefined;
  const isComplete = hasMaster && owned.jobs.get(scope.nodeName("worker")) !== undefined;
  const isResumed = scope.status.startedGeneration !== undefined;
  const problems = describeProblems(problemsOf(scope, { isComplete, isResumed }));
  if (problems !== "") {
    scope.setStatus({ conditions: { Ready: conditions.Ready.failed(problems) } });
    const failed = { phase: "Failed", reason: "TestFailed", outcome: "Error" } as const;
    return finish(scope, { ...failed, cause: problems, ready: problems });
  }
  await scope.confirm();
  // With the confirmed test: the cache may not show an edit yet.
  if (!isComplete && isResumed && isDrifted(scope.generation, scope.status.startedGeneration)) {
    const cause = "a Job was deleted and cannot be recreated because the spec has changed since then";
    return finish(scope, { phase: "Failed", reason: "TestFailed", outcome: "Error", cause });
  }
  if (!hasMaster && mayHaveRun(scope)) {
    return finish(scope, { phase: "Failed", reason: "ResultUnavailable", outcome: "Unknown", cause: resultLost });
  }

  const result = await createAll(scope);
  if (result.type === "waiting") return result.next;
  await start(scope, result);
  // Objects that existed before may be in any state.
  if (!result.isNew) return reconcileRunning(scope);
  return { requeueAfterMs: earliest(scope.settings.podStartupGraceSeconds * 1_000, deadlineMs(scope)) };
}

/** Returns the problems that prevent the creation. The spec of a started run was validated at its start; later edits do not affect it. */
function problemsOf(
  { test, settings }: TestScope,
  { isComplete, isResumed }: { readonly isComplete: boolean; readonly isResumed: boolean },
): TestProblem[] {
  if (!isComplete) return testProblems(test, settings);
  // The Jobs were created by another operator and already run: a stricter setting must not end them.
  return isResumed ? [] : specProblems(test);
}

/** Uses the log messages of the Go operator, for which users may search. */
function logCreation({ context: { log, name, namespace }, test: { spec } }: TestScope): void {
  log.info("LocustTest created", { name, namespace });
  log.debug("Custom resource information", {
    image: spec.image,
    masterCommand: spec.master.command,
    workerCommand: spec.worker.command,
    workerReplicas: spec.worker.replicas,
    configMap: spec.testFiles?.configMapRef,
  });
  for (const mode of ["master", "worker"] as const) {
    const conflicts = overriddenFlags(spec[mode].extraArgs);
    if (conflicts.length === 0) continue;
    const behavior = "user value takes precedence";
    log.info("User-provided extraArgs override operator-managed flags", { conflicts, behavior, mode });
  }
}

/** Upper bound of the time to create two Jobs, run them and have them removed with a TTL of 0. */
const shortestRunMs = 5_000;

/**
 * NeverRepeatLoad: reports whether the Jobs may have been created, have run and been removed by their TTL before the start of the
 * test was recorded.
 *
 * `status.jobsSince` is the time since which Jobs may exist, `status.jobsKeptSeconds` the minimum time that they exist after
 * their end. If that time has not passed, or there is no Service, no Job has run. Earlier releases created Jobs with the TTL of
 * the test, so the longer of the two applies.
 */
function mayHaveRun(scope: TestScope): boolean {
  const { ttlSeconds, status, now } = scope;
  const service = scope.context.owned.services.get(scope.nodeName("master"));
  const since = tryParseTime(status.jobsSince);
  if (ttlSeconds === undefined || service === undefined || since === undefined) return false;
  return now - since >= Math.max(ttlSeconds, status.jobsKeptSeconds ?? 0) * 1_000 + shortestRunMs;
}

type CreateResult =
  | {
      readonly type: "created";
      readonly master: CreatedObject<Job>;
      readonly worker: CreatedObject<Job>;
      readonly isNew: boolean;
    }
  | { readonly type: "waiting"; readonly next: Next };

/** Creates all objects in order: Services, master Job, worker Job. Stops at the first failure. */
async function createAll(scope: TestScope): Promise<CreateResult> {
  const { log, owned } = scope.context;
  const { buildInput } = scope;
  const [masterName, workerName] = [scope.nodeName("master"), scope.nodeName("worker")];
  const running = owned.jobs.get(masterName);
  const initContainers = running?.spec?.template.spec?.initContainers ?? [];
  const hasMetrics = initContainers.some(({ name }) => name === exporterName);
  const webUi = webUiService(buildInput);
  const createService = (object: Desired<Service>): Promise<CreatedObject<Service>> => owned.services.create(object);
  const createJob = (object: Desired<Job>): Promise<CreatedObject<Job>> => owned.jobs.create(object);
  let jobsMayExist = running !== undefined;
  try {
    const options = running === undefined ? {} : { hasMetrics };
    const service = await createObject(scope, masterService(buildInput, options), createService);
    log.debug("Master Service reconciled", { name: masterName });
    const others = webUi === undefined ? [] : [await createObject(scope, webUi, createService)];
    if (running === undefined) await recordJobs(scope, masterJob(buildInput));
    jobsMayExist = true;
    const master = await createObject(scope, masterJob(buildInput), createJob).catch((error: unknown) => {
      jobsMayExist = !classifyApiFailure(error).isNotPerformed;
      throw error;
    });
    log.debug("Master Job reconciled", { name: masterName });
    const worker = await createObject(scope, workerJob(buildInput), createJob);
    log.debug("Worker Job reconciled", { name: workerName });
    return { type: "created", master, worker, isNew: [service, ...others, master, worker].every(({ isNew }) => isNew) };
  } catch (error) {
    return { type: "waiting", next: handleFailure(scope, error, { jobsMayExist }) };
  }
}

/**
 * Records that Jobs may exist from now on, if the status says that none exist because the API server rejected them.
 *
 * Without this record, Jobs that are created now and removed by their TTL while no operator runs would be created again. A dry
 * run comes first, so that a test that waits for a quota does not write its status with each retry.
 */
async function recordJobs(scope: TestScope, job: Desired<Job>): Promise<void> {
  if (scope.ttlSeconds === undefined || scope.status.jobsSince !== undefined) return;
  const { client, signal } = scope.context;
  await client.create(Job, job, { dryRun: true, signal });
  scope.setStatus({
    fields: mayHaveJobs(scope.now),
    conditions: { Ready: conditions.Ready.creating },
  });
  await scope.save("initialize status");
}

async function createObject<T, D extends { readonly kind: string; readonly metadata: { readonly name: string } }>(
  scope: TestScope,
  object: D,
  create: (object: D) => Promise<CreatedObject<T>>,
): Promise<CreatedObject<T>> {
  const { log, namespace } = scope.context;
  const { kind, metadata } = object;
  const { name } = metadata;
  const result = await create(object);
  if (result.isNew) {
    scope.event(events.created(kind, name));
    log.info("Created resource", { kind, name, namespace });
  } else log.debug("Resource already exists", { kind, name });
  return result;
}

function handleFailure(scope: TestScope, error: unknown, { jobsMayExist }: { readonly jobsMayExist: boolean }): Next {
  const failure = decideCreateFailure(error);
  if (failure.type === "wait") return { requeueAfterMs: leftoverMs };
  if (failure.type === "stop") return undefined;
  const { message, isRefusal } = failure;
  scope.context.log.error("Failed to create resource", { error });
  scope.setStatus({
    fields: jobsMayExist ? {} : noJobs,
    conditions: { Ready: conditions.Ready.failed(message) },
  });
  if (isRefusal) scope.event(events.createFailed(message));
  throw new CreateFailedError(scope.context.key, { cause: error });
}

async function start(scope: TestScope, { master, worker }: CreateResult & { type: "created" }): Promise<void> {
  const { log, name } = scope.context;
  const { test, now } = scope;
  const isFirstStart = scope.status.startTime === undefined;
  const webUIURL = webUiUrl(scope.buildInput);
  scope.setStatus(startedStatus({ test, master: master.object, worker: worker.object, webUIURL, now }));
  await scope.save("update status after resource creation");
  if (isFirstStart) scope.event(events.testStarted);
  const [masterName, workerName] = [scope.nodeName("master"), scope.nodeName("worker")];
  const objects = { masterService: masterName, masterJob: masterName, workerJob: workerName };
  log.info("All resources created successfully", { locustTest: name, ...objects });
  log.info("Phase transition", { from: "Pending", to: "Running", locustTest: name });
}
