import type { ContainerRecord } from "./container-state.ts";
import { nextProbeAt, runProbes } from "./container-probes.ts";
import { completePull, pullProblem, runContainer, startContainer } from "./container-start.ts";
import { signalContainer } from "./container-stop.ts";
import { recordEvent, type MachineStep } from "./machine-step.ts";
import { environmentProblem } from "./pod-config.ts";
import { podTitle } from "./pod-view.ts";
import { nextBackoff, formatBackoff, backoffEnd } from "./restart-backoff.ts";

/** Reports whether a container is restarted after it exited with this code. */
export function willRestart({ spec, role }: ContainerRecord, step: MachineStep, exitCode: number): boolean {
  if (role === "sidecar") return true;
  const policy = spec.restartPolicy ?? step.pod.spec?.restartPolicy ?? "Always";
  if (policy === "Never") return false;
  return exitCode !== 0 || (policy === "Always" && role === "app");
}

/** Advances a container that should run as far as possible at this time. */
export function advanceContainer(container: ContainerRecord, step: MachineStep): void {
  showBackoff(container, step);
  const { stage } = container;
  switch (stage.at) {
    case "waiting":
      return startContainer(container, step);
    case "pulling":
      if (stage.until <= step.now) completePull(container, step, stage.since);
      return;
    case "unable":
      if (stage.retryAt <= step.now || isConfigAvailable(container, step)) startContainer(container, step);
      return;
    case "creating":
      if (stage.until > step.now) return;
      return runContainer(container, step, willRestart(container, step, 128));
    case "running":
      runProbes(container, step);
      return signalContainer(container, step);
    case "exited":
      if (willRestart(container, step, stage.exitCode)) restartContainer(container, step, stage.finishedAt);
  }
}

/** Returns when a container must be processed again; Infinity when only an input can change it. */
export function containerDueAt(container: ContainerRecord): number {
  const { stage, stopping, shownAt = Infinity, restartAt = Infinity, terminateAt = Infinity } = container;
  const killAt = stopping === undefined || stopping.isKilled ? Infinity : stopping.killAt;
  switch (stage.at) {
    case "waiting":
      return Infinity;
    case "pulling":
    case "creating":
      return Math.min(stage.until, shownAt);
    case "unable":
      return Math.min(stage.retryAt, shownAt);
    case "running":
      return Math.min(nextProbeAt(container), killAt, terminateAt);
    case "exited":
      return Math.min(restartAt, shownAt);
  }
}

/** Returns when a container that is being stopped must be processed again. */
export function stoppingDueAt({ stage, stopping, terminateAt = Infinity }: ContainerRecord): number {
  if (stage.at !== "running" || stopping === undefined) return Infinity;
  return Math.min(terminateAt, stopping.isKilled ? Infinity : stopping.killAt);
}

function restartContainer(container: ContainerRecord, step: MachineStep, finishedAt: number): void {
  const { spec, fieldPath, endedBefore, isKilledByProbe } = container;
  const { now, pod, settings } = step;
  // The kubelet restarts a container killed by a probe in the same sync, before the status shows it as terminated;
  // its back-off is computed from the exit before that.
  const failedAt = isKilledByProbe ? endedBefore : finishedAt;
  const until = failedAt === undefined ? undefined : backoffEnd(container.restart, failedAt, now);
  if (until === undefined) {
    if (failedAt !== undefined) container.restart = nextBackoff(container.restart, now);
    container.endedBefore = finishedAt;
    return startContainer(container, step);
  }
  if (container.restartAt !== undefined) return;
  container.restartAt = until;
  container.shownAt = now + settings.delays.showMs;
  container.shownNext = "restart";
  const message = `Back-off restarting failed container ${spec.name} in pod ${podTitle(pod)}`;
  recordEvent(step, "Warning", "BackOff", { message, fieldPath });
}

/** Changes the shown state to the back-off, once the failure itself was visible long enough. */
function showBackoff(container: ContainerRecord, step: MachineStep): void {
  const { spec, script, view, fieldPath } = container;
  if (container.shownAt === undefined || container.shownAt > step.now) return;
  container.shownAt = undefined;
  if (container.shownNext === "pull") {
    const pause = `Back-off pulling image "${spec.image ?? ""}"`;
    recordEvent(step, "Normal", "BackOff", { message: pause, fieldPath });
    recordEvent(step, "Warning", "Failed", { message: "Error: ImagePullBackOff", fieldPath });
    const message = `${pause}: ErrImagePull: ${pullProblem(spec.image ?? "", script.pullError ?? "")}`;
    container.view = { waiting: { reason: "ImagePullBackOff", message } };
    return;
  }
  if (container.restart === undefined) return;
  if (view.terminated !== undefined) container.lastView = { terminated: view.terminated };
  const message = `back-off ${formatBackoff(container.restart)} restarting failed container=${spec.name} pod=${podTitle(step.pod)}`;
  container.view = { waiting: { reason: "CrashLoopBackOff", message } };
}

/** Reports whether a missing ConfigMap or Secret of a container exists now. */
function isConfigAvailable({ stage, spec }: ContainerRecord, { pod, settings }: MachineStep): boolean {
  return (
    stage.at === "unable" && stage.cause === "config" && environmentProblem(pod, spec, settings.config) === undefined
  );
}
