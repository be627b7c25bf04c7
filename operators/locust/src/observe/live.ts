import type { DeepReadonly } from "homeostat";
import type { Job } from "@homeostat/kubernetes/batch/v1";
import type { Container } from "@homeostat/kubernetes/core/v1";
import { type EffectiveArguments, effectiveArguments } from "../api/effective-arguments.ts";
import { connectedWorkers, type LiveView, missingWorkers } from "../live/live-view.ts";
import { runningMasterOf, type TestPod } from "./pods.ts";
import type { ObserveScope } from "./scope.ts";

/** Live statistics of a run, as reported by its master. */
export interface ObservedLive {
  readonly view: LiveView | undefined;
  readonly isEnabled: boolean;
  readonly masterArguments: EffectiveArguments;
  /** Connected workers, from a fresh snapshot. */
  readonly connected: number | undefined;
  /** Expected workers as the master counts them: processes, not pods. */
  readonly expected: number;
}

/** Starts polling the master if it runs, and returns what is known from it. */
export function observeLive(
  scope: ObserveScope,
  { masterJob, pods }: { readonly masterJob: DeepReadonly<Job> | undefined; readonly pods: readonly TestPod[] },
): ObservedLive {
  const { context, live, settings, test } = scope;
  const isEnabled =
    settings.liveStats.enabled && settings.liveStats.access !== "off" && (test.spec.liveStats?.enabled ?? true);
  const container = containerIn(masterJob, scope.nodeName("master"));
  const { metadata, status } = runningMasterOf(pods, scope.nodeName("master")) ?? {};
  const { name, uid } = metadata ?? {};
  const ip = status?.podIP;
  if (isEnabled && name !== undefined && uid !== undefined && ip !== undefined) {
    live.track({
      key: context.key,
      uid: test.metadata.uid,
      run: scope.run,
      intervalSeconds: test.spec.liveStats?.intervalSeconds ?? settings.liveStats.intervalSeconds,
      pod: { namespace: context.namespace, name, uid, ip },
      ...container,
    });
  }
  const view = live.view(context.key);
  return {
    view,
    isEnabled,
    masterArguments: effectiveArguments(container),
    connected: view?.isFresh === true ? connectedWorkers(view, scope.status.connectedWorkers) : undefined,
    expected: expectedProcesses(scope),
  };
}

/** Returns how many workers are missing, or were at the end of the run; undefined when the master does not report it. */
export function observedMissing(scope: ObserveScope, view: LiveView | undefined): number | undefined {
  return missingWorkers(connectedWorkers(view, scope.status.connectedWorkers), expectedProcesses(scope));
}

/** Returns the number of workers that the master expects. With several processes per worker, it counts each process. */
function expectedProcesses(scope: ObserveScope): number {
  const name = scope.nodeName("worker");
  const { processes = 1 } = effectiveArguments(containerIn(scope.context.owned.jobs.get(name), name));
  return Math.max(1, processes) * (scope.status.expectedWorkers ?? scope.test.spec.worker.replicas);
}

function containerIn(
  job: DeepReadonly<Job> | undefined,
  name: string,
): Required<DeepReadonly<Pick<Container, "args" | "env">>> {
  const found = job?.spec?.template.spec?.containers.find((each) => each.name === name);
  return { args: found?.args ?? [], env: found?.env ?? [] };
}
