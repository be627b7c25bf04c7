import type { DeepReadonly } from "@homeostat/core";
import type { Job } from "@homeostat/kubernetes/batch/v1";
import type { Container, Pod } from "@homeostat/kubernetes/core/v1";
import type { Progress, WorkerStates } from "../api/locust-test.ts";
import { type EffectiveArguments, effectiveArguments } from "../build/effective-arguments.ts";
import { runningMasterOf, type TestPod } from "./pods.ts";
import { connectedWorkers, missingWorkers } from "../live/connected-workers.ts";
import { planOf } from "../status/run-plan.ts";
import { progressOf } from "../status/progress.ts";
import type { ConditionWish } from "../status/conditions.ts";
import type { Pass } from "../reconcile/scope.ts";
import type { LiveTarget, LiveView, WorkerStates as LiveWorkers } from "../live/live-stats.ts";

/** What Locust itself says about a run. */
export interface Numbers {
  readonly view: LiveView | undefined;
  /** How the master was started. */
  readonly settings: EffectiveArguments;
  readonly progress: Progress | undefined;
  readonly workers: WorkerStates | undefined;
  /** How many workers the master counts, or counted when the run ended, while that is fresh. */
  readonly connected: number | undefined;
  /** How many there should be, as the master counts. */
  readonly expected: number;
  readonly condition: ConditionWish<"LiveStats">;
}

/** Follows the master of a run, and says what is known from it. */
export function numbersOf(
  pass: Pass,
  { masterJob, pods }: { readonly masterJob: DeepReadonly<Job> | undefined; readonly pods: readonly TestPod[] },
): Numbers {
  const { live } = pass.parts;
  const container = containerOf(masterJob, pass.nodeName("master"));
  const settings = effectiveArguments(container);
  const pod = runningMasterOf(pods, pass.nodeName("master"));
  const target = pod === undefined ? undefined : targetOf(pass, pod, container);
  if (target !== undefined && isWanted(pass)) live.track(target);
  const view = live.view(pass.context.key);
  return {
    view,
    settings,
    progress:
      view === undefined
        ? undefined
        : progressOf({
            view,
            plan: planOf(settings, { isAutomatic: pass.test.spec.master.autostart }),
            stored: pass.status.progress === undefined ? undefined : { ...pass.status.progress },
            isStopping: pass.status.stop !== undefined,
          }),
    workers: view?.snapshot?.workers === undefined ? undefined : workersOf(view.snapshot.workers),
    connected: view?.isFresh === true ? connectedWorkers(view, pass.status.connectedWorkers) : undefined,
    expected: expectedProcesses(pass),
    condition: conditionOf(pass, view),
  };
}

/** How many workers the master of a run is short of, or was when the run ended; undefined when it does not tell. */
export function missingOf(pass: Pass, view: LiveView | undefined): number | undefined {
  return missingWorkers(connectedWorkers(view, pass.status.connectedWorkers), expectedProcesses(pass));
}

/** Whether anybody wants to know. */
export function isWanted(pass: Pass): boolean {
  const { enabled, access } = pass.parts.config.liveStats;
  return enabled && access !== "off" && (pass.test.spec.liveStats?.enabled ?? true);
}

function conditionOf(pass: Pass, view: LiveView | undefined): ConditionWish<"LiveStats"> {
  if (view !== undefined) return { status: view.reason === "Streaming", reason: view.reason, message: view.message };
  if (!isWanted(pass)) return { status: false, reason: "Disabled", message: "Live numbers are switched off" };
  return { status: false, reason: "WaitingForMaster", message: "Waiting for the master to start" };
}

function targetOf(pass: Pass, { metadata, status }: DeepReadonly<Pod>, container: Started): LiveTarget | undefined {
  const { name, uid } = metadata;
  const ip = status?.podIP;
  if (name === undefined || uid === undefined || ip === undefined) return undefined;
  const { key, namespace } = pass.context;
  const { liveStats } = pass.test.spec;
  return {
    key,
    uid: pass.test.metadata.uid,
    run: pass.run,
    intervalSeconds: liveStats?.intervalSeconds ?? pass.parts.config.liveStats.intervalSeconds,
    pod: { namespace, name, uid, ip },
    ...container,
  };
}

/** How a container was started. */
type Started = Required<DeepReadonly<Pick<Container, "args" | "env">>>;

function containerOf(job: DeepReadonly<Job> | undefined, name: string): Started {
  const found = job?.spec?.template.spec?.containers.find((each) => each.name === name);
  return { args: found?.args ?? [], env: found?.env ?? [] };
}

/** With several processes to a worker, the master counts each of them. */
function expectedProcesses(pass: Pass): number {
  const job = pass.context.owned.jobs.get(pass.nodeName("worker"));
  const { processes } = effectiveArguments(containerOf(job, pass.nodeName("worker")));
  const perPod = processes === undefined || processes < 1 ? 1 : processes;
  return perPod * (pass.status.expectedWorkers ?? pass.test.spec.worker.replicas);
}

function workersOf({ ready, spawning, running, missing, maxCpuPercent }: LiveWorkers): WorkerStates {
  return { ready, spawning, running, missing, ...(maxCpuPercent === undefined ? {} : { maxCpuPercent }) };
}
