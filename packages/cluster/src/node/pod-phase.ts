import type { PodPhase } from "@homeostat/kubernetes/core/v1";
import type { ContainerRecord } from "./container-state.ts";

/** Input of the phase of a pod. */
export interface PhaseParts {
  readonly restartPolicy: string;
  readonly inits: readonly Pick<ContainerRecord, "role" | "view" | "lastView" | "isStarted">[];
  readonly apps: readonly Pick<ContainerRecord, "view" | "lastView">[];
  /** True if no container will be started any more. */
  readonly isTerminal: boolean;
}

/** Computes the phase from the container states (`getPhase` in kubelet_pods.go). */
export function phaseOf({ restartPolicy, inits, apps, isTerminal }: PhaseParts): PodPhase {
  const count = countApps(apps);
  const hasRun = count.running + count.stopped > 0;
  const failedInits = inits.filter((init) => init.role === "init" && (exitCodeOf(init) ?? 0) !== 0);
  if (failedInits.length > 0 && (restartPolicy === "Never" || isTerminal)) return "Failed";
  if (isTerminal && count.running === 0 && apps.length > 0) {
    return count.succeeded === apps.length ? "Succeeded" : "Failed";
  }
  if (!hasRun && inits.some((init) => isPending(init))) return "Pending";
  if (count.waiting > 0) return "Pending";
  if (count.running > 0) return "Running";
  if (count.stopped === 0) return "Pending";
  if (restartPolicy === "Always" || hasRunningSidecar(inits)) return "Running";
  if (count.stopped === count.succeeded) return "Succeeded";
  return restartPolicy === "Never" ? "Failed" : "Running";
}

type Shown = Pick<ContainerRecord, "view" | "lastView">;

function countApps(apps: readonly Shown[]): { running: number; stopped: number; succeeded: number; waiting: number } {
  const count = { running: 0, stopped: 0, succeeded: 0, waiting: 0 };
  for (const { view, lastView } of apps) {
    const ended = view.terminated ?? (view.waiting === undefined ? undefined : lastView.terminated);
    if (view.running !== undefined) count.running += 1;
    else if (ended === undefined) count.waiting += 1;
    else {
      count.stopped += 1;
      if (ended.exitCode === 0) count.succeeded += 1;
    }
  }
  return count;
}

function exitCodeOf({ view, lastView }: Shown): number | undefined {
  return view.terminated?.exitCode ?? (view.waiting === undefined ? undefined : lastView.terminated?.exitCode);
}

function isPending(init: PhaseParts["inits"][number]): boolean {
  return init.role === "sidecar" ? !init.isStarted : init.view.terminated?.exitCode !== 0;
}

function hasRunningSidecar(inits: PhaseParts["inits"]): boolean {
  return inits.some(({ role, view }) => role === "sidecar" && view.running !== undefined);
}
