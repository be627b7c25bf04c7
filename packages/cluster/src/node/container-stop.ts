import type { ContainerRecord } from "./container-state.ts";
import { terminatedState } from "./container-state.ts";
import { type Exit, exitReason, terminationMessageMax } from "./exit.ts";
import { recordEvent, type MachineStep } from "./machine-step.ts";

/**
 * Stops a running container: SIGTERM now or after its `preStop` sleep, SIGKILL after the grace period. Stopping it
 * again can only shorten the grace period.
 */
export function stopContainer(
  container: ContainerRecord,
  step: MachineStep,
  { graceMs, message }: { readonly graceMs: number; readonly message: string },
): void {
  const { spec, fieldPath } = container;
  if (container.stage.at !== "running") return;
  const killAt = step.now + graceMs;
  if (container.stopping !== undefined) {
    if (killAt < container.stopping.killAt) container.stopping = { killAt, isKilled: false };
    return;
  }
  recordEvent(step, "Normal", "Killing", { message, fieldPath });
  container.stopping = { killAt, isKilled: false };
  const pauseSeconds = spec.lifecycle?.preStop?.sleep?.seconds ?? 0;
  if (pauseSeconds > 0) container.terminateAt = step.now + pauseSeconds * 1_000;
  else step.effects.push({ do: "terminate", container: spec.name, run: container.run });
}

/** Sends the signals that are due to a container that is being stopped. */
export function signalContainer(container: ContainerRecord, step: MachineStep): void {
  const { stopping, spec, run } = container;
  if (container.stage.at !== "running" || stopping === undefined) return;
  if (container.terminateAt !== undefined && container.terminateAt <= step.now) {
    container.terminateAt = undefined;
    step.effects.push({ do: "terminate", container: spec.name, run });
  }
  if (stopping.isKilled || stopping.killAt > step.now) return;
  stopping.isKilled = true;
  step.effects.push({ do: "kill", container: spec.name, run });
}

/** Records the exit of a container's process. */
export function endContainer(container: ContainerRecord, step: MachineStep, exit: Exit): void {
  const { stage } = container;
  if (stage.at !== "running") return;
  const { exitCode, message } = exit;
  const end = {
    exitCode,
    reason: exitReason(exit),
    message: message?.slice(-terminationMessageMax),
    startedAt: stage.startedAt,
    finishedAt: step.now,
  };
  container.view = { terminated: terminatedState(container, end) };
  container.stage = { at: "exited", exitCode, finishedAt: step.now };
  container.isReady = false;
  container.isStarted = false;
  container.stopping = undefined;
  container.terminateAt = undefined;
  container.probes.clear();
}
