import type { ContainerMemory } from "./container-state.ts";
import { nextProbeAt, runProbes } from "./container-probes.ts";
import { endPull, pullProblem, runContainer, startContainer } from "./container-start.ts";
import { signalContainer } from "./container-stop.ts";
import { tell, type Turn } from "./machine-turn.ts";
import { environmentProblem } from "./missing-config.ts";
import { podTitle } from "./pod-view.ts";
import { longer, pauseText, waitUntil } from "./restart-backoff.ts";

/** Reports whether a container is restarted after it exited with this code. */
export function willRestart({ spec, role }: ContainerMemory, turn: Turn, exitCode: number): boolean {
  if (role === "sidecar") return true;
  const policy = spec.restartPolicy ?? turn.pod.spec?.restartPolicy ?? "Always";
  if (policy === "Never") return false;
  return exitCode !== 0 || (policy === "Always" && role === "app");
}

/** Advances a container that should run as far as possible at this time. */
export function tendContainer(container: ContainerMemory, turn: Turn): void {
  showPause(container, turn);
  const { stage } = container;
  switch (stage.at) {
    case "waiting":
      return startContainer(container, turn);
    case "pulling":
      if (stage.until <= turn.now) endPull(container, turn, stage.since);
      return;
    case "unable":
      if (stage.retryAt <= turn.now || isCured(container, turn)) startContainer(container, turn);
      return;
    case "creating":
      if (stage.until > turn.now) return;
      return runContainer(container, turn, willRestart(container, turn, 128));
    case "running":
      runProbes(container, turn);
      return signalContainer(container, turn);
    case "exited":
      if (willRestart(container, turn, stage.exitCode)) restartContainer(container, turn, stage.finishedAt);
  }
}

/** Returns when a container must be processed again; Infinity when only an input can change it. */
export function containerWakeAt(container: ContainerMemory): number {
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
export function endingWakeAt({ stage, stopping, terminateAt = Infinity }: ContainerMemory): number {
  if (stage.at !== "running" || stopping === undefined) return Infinity;
  return Math.min(terminateAt, stopping.isKilled ? Infinity : stopping.killAt);
}

function restartContainer(container: ContainerMemory, turn: Turn, finishedAt: number): void {
  const { spec, fieldPath, endedBefore, isKilledByProbe } = container;
  const { now, pod, settings } = turn;
  // The kubelet restarts a container killed by a probe in the same sync, before the status shows it as terminated;
  // its back-off is computed from the exit before that.
  const failedAt = isKilledByProbe ? endedBefore : finishedAt;
  const until = failedAt === undefined ? undefined : waitUntil(container.restart, failedAt, now);
  if (until === undefined) {
    if (failedAt !== undefined) container.restart = longer(container.restart, now);
    container.endedBefore = finishedAt;
    return startContainer(container, turn);
  }
  if (container.restartAt !== undefined) return;
  container.restartAt = until;
  container.shownAt = now + settings.delays.showMs;
  container.shownNext = "restart";
  const message = `Back-off restarting failed container ${spec.name} in pod ${podTitle(pod)}`;
  tell(turn, "Warning", "BackOff", { message, fieldPath });
}

/** Changes the shown state to the back-off, once the failure itself was visible long enough. */
function showPause(container: ContainerMemory, turn: Turn): void {
  const { spec, script, view, fieldPath } = container;
  if (container.shownAt === undefined || container.shownAt > turn.now) return;
  container.shownAt = undefined;
  if (container.shownNext === "pull") {
    const pause = `Back-off pulling image "${spec.image ?? ""}"`;
    tell(turn, "Normal", "BackOff", { message: pause, fieldPath });
    tell(turn, "Warning", "Failed", { message: "Error: ImagePullBackOff", fieldPath });
    const message = `${pause}: ErrImagePull: ${pullProblem(spec.image ?? "", script.pullError ?? "")}`;
    container.view = { waiting: { reason: "ImagePullBackOff", message } };
    return;
  }
  if (container.restart === undefined) return;
  if (view.terminated !== undefined) container.lastView = { terminated: view.terminated };
  const message = `back-off ${pauseText(container.restart)} restarting failed container=${spec.name} pod=${podTitle(turn.pod)}`;
  container.view = { waiting: { reason: "CrashLoopBackOff", message } };
}

/** Reports whether a missing ConfigMap or Secret of a container exists now. */
function isCured({ stage, spec }: ContainerMemory, { pod, settings }: Turn): boolean {
  return (
    stage.at === "unable" && stage.cause === "config" && environmentProblem(pod, spec, settings.config) === undefined
  );
}
