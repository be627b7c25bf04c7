import type { DeepReadonly } from "@homeostat/core";
import type { Job } from "@homeostat/kubernetes/batch/v1";
import { type ContainerStateTerminated, Pod } from "@homeostat/kubernetes/core/v1";
import { failureKeyOf } from "../decide/health.ts";
import { masterExitOf, type TestPod } from "../observe/pods.ts";
import { totalOf } from "../live/rows.ts";
import { throttled } from "../status/throttle.ts";
import { verdictOf } from "../decide/verdict.ts";
import { combined, type StatusPlan } from "../status/plan.ts";
import { driftPlan } from "../status/drift.ts";
import { failureCause } from "../decide/failure-cause.ts";
import { endOf, isTerminal, phaseOf } from "../observe/jobs.ts";
import { nextPhase } from "../decide/next-phase.ts";
import { workersPlan } from "../status/workers.ts";
import { events } from "./events.ts";
import { type End, finish, judged } from "./finish.ts";
import { lookUp } from "../observe/look-up.ts";
import { decideMissing, type LookedUp } from "../decide/missing.ts";
import { type Numbers, numbersOf } from "../observe/live.ts";
import { type Jobs, observe, type Observed, soonest } from "../observe/observe.ts";
import type { Next, Pass } from "./scope.ts";
import { recover } from "./recover.ts";
import { keepResults } from "./results.ts";
import { deadlineMs, stop } from "./stop.ts";

/** Looks after a test that runs: 17.4. */
export async function run(pass: Pass): Promise<Next> {
  const found = await lookUp(pass);
  const known: Jobs = { master: knownJob(found.masterJob), worker: knownJob(found.workerJob) };
  const seen = await observe(pass, known);
  const numbers = numbersOf(pass, { masterJob: known.master, pods: seen.pods });

  const stopping = await stop(pass, { jobs: known, numbers });
  if (stopping.is === "over") return undefined;
  const step = decideMissing(found);
  switch (step.do) {
    case "recover":
      return stopping.is === "under way" ? stopping.next : recover(pass, step);
    case "fail": {
      const outcome = step.reason === "ResultUnavailable" ? "Unknown" : "Error";
      return finish(pass, { phase: "Failed", reason: step.reason, cause: step.cause, outcome });
    }
    case "go on": {
      const jobs: Jobs = { master: step.masterJob, worker: step.workerJob };
      return judge(pass, { jobs, seen, numbers, isStopping: stopping.is === "under way", next: stopping.next });
    }
  }
}

/** All that is known of a run. */
interface Situation {
  readonly jobs: Jobs;
  readonly seen: Observed;
  readonly numbers: Numbers;
  readonly isStopping: boolean;
  /** When a stop has to be looked at again. */
  readonly next: Next;
}

/** Says how a run stands, or that it is over: 18.2 to 18.5. */
async function judge(pass: Pass, situation: Situation): Promise<Next> {
  const { jobs, seen, numbers, isStopping } = situation;
  const derived = phaseOf(jobs.master);
  const exit = await exitOf(pass, seen.pods, derived === "Failed" ? jobs : undefined);
  const connected = numbers.connected ?? jobs.worker?.status?.active ?? 0;
  const { phase, cause } = nextPhase({
    derived,
    workerEnd: endOf(jobs.worker),
    health: seen.health,
    masterCause: failureCause(exit, endOf(jobs.master)),
    isStopping,
    isEnding: exit !== undefined || numbers.view?.isFinal === true,
    mayLoseWorkers: pass.test.spec.worker.backoffLimit > 0 && connected >= 1,
  });
  pass.say(healthPlan(pass, seen));
  if (isTerminal(phase)) {
    const end = endOf(jobs.master);
    await keepResults(pass, numbers.view);
    return finish(pass, endAs(pass, { phase, cause, job: end?.type, exitCode: exit?.exitCode, numbers }));
  }
  if (numbers.view?.isFinal === true) await keepResults(pass, numbers.view);
  pass.say(runningPlan(pass, situation));
  await pass.save("Failed to update status from Jobs");
  const afterMs = soonest(seen.health.requeueAfterMs, situation.next?.requeueAfterMs, deadlineMs(pass));
  return afterMs === undefined ? undefined : { requeueAfterMs: Math.max(afterMs, 1) };
}

/** What the status says of a run that goes on. */
function runningPlan(pass: Pass, { jobs, numbers }: Situation): StatusPlan {
  const { status } = pass;
  const expected = status.expectedWorkers ?? pass.test.spec.worker.replicas;
  const workers = workersPlan({
    workerJob: jobs.worker,
    live: numbers.connected,
    expected: numbers.connected === undefined ? expected : numbers.expected,
  });
  const shown = status.conditions?.find(({ type }) => type === "LiveStats");
  const { connectedWorkers = status.connectedWorkers } = workers.fields;
  const part = throttled({
    stored: { progress: status.progress, workers: status.workers },
    next: { progress: numbers.progress ?? status.progress, workers: numbers.workers ?? status.workers },
    isUrgent:
      shown?.reason !== numbers.condition.reason ||
      connectedWorkers !== status.connectedWorkers ||
      numbers.view?.isFinal === true,
  });
  const plan: StatusPlan = {
    fields: {
      ...(jobs.master?.metadata.uid === undefined ? {} : { masterJobUID: jobs.master.metadata.uid }),
      ...(jobs.worker?.metadata.uid === undefined ? {} : { workerJobUID: jobs.worker.metadata.uid }),
      ...(part.progress === undefined ? {} : { progress: part.progress }),
      ...(part.workers === undefined ? {} : { workers: part.workers }),
    },
    conditions: { LiveStats: numbers.condition },
  };
  return combined(combined(workers, driftPlan(pass.generation, pass.startedGeneration)), plan);
}

/** What the status says of the pods. That they fail is told once, until others do or for another reason. */
function healthPlan(pass: Pass, { health }: Observed): StatusPlan {
  const { isHealthy, reason, message, failedPods } = health;
  const before = pass.status.conditions?.find(({ type }) => type === "PodsHealthy");
  if (!isHealthy && (before?.status !== "False" || failureKeyOf(before.message) !== failureKeyOf(message))) {
    pass.event(events.podFailure(message));
    pass.context.log.info("Pod health check failed", { reason, failedPods });
  }
  // Pods that nobody may make yet are no failure, but somebody has to hear of it.
  if (isHealthy && health.isRefused && before?.message !== message) pass.event(events.createFailed(message));
  return { fields: {}, conditions: { PodsHealthy: { status: isHealthy, reason, message } } };
}

/** How a run that is over has ended: by its numbers where these decide, else by what its Jobs and pods say. */
function endAs(
  pass: Pass,
  about: {
    readonly phase: "Succeeded" | "Failed";
    readonly cause: string | undefined;
    readonly job: "Complete" | "Failed" | undefined;
    readonly exitCode: number | undefined;
    readonly numbers: Numbers;
  },
): End {
  const { phase, cause, job, exitCode, numbers } = about;
  const { stop: asked, result } = pass.status;
  const verdict = verdictOf({
    job,
    masterExitCode: exitCode,
    stop: asked,
    hasThresholds: (pass.test.spec.thresholds?.length ?? 0) > 0,
    thresholds: judged(pass, numbers.view),
    failedRequests: totalOf(numbers.view?.snapshot ?? { rows: [] })?.failures ?? result?.failedRequests,
  });
  if (verdict === undefined) return { phase, reason: "TestFailed", outcome: "Error", cause, masterExitCode: exitCode };
  return { ...verdict, cause: verdict.cause ?? cause, masterExitCode: exitCode };
}

/** How the master's Locust ended. The cache of pods may be behind that of Jobs: for a failed Job the server is asked. */
async function exitOf(
  pass: Pass,
  pods: readonly TestPod[],
  failed: Jobs | undefined,
): Promise<DeepReadonly<ContainerStateTerminated> | undefined> {
  const container = pass.nodeName("master");
  const known = masterExitOf(pods, container);
  const uid = failed?.master?.metadata.uid;
  if (known !== undefined || uid === undefined) return known;
  const { client, namespace, signal } = pass.context;
  const labelSelector = `batch.kubernetes.io/controller-uid=${uid}`;
  const { items } = await client.list(Pod, { namespace, labelSelector, limit: 10, signal });
  return masterExitOf(
    items.map((pod) => ({ role: "master", pod })),
    container,
  );
}

function knownJob(looked: LookedUp): DeepReadonly<Job> | undefined {
  return looked.is === "there" ? looked.job : looked.last;
}
