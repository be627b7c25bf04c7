import { type DeepReadonly, parseTime } from "@homeostat/core";
import type { ContainerState, ContainerStatus } from "@homeostat/kubernetes/core/v1";
import { type ContainerRecord, terminatedState } from "./container-state.ts";

/** Exit of a process that ended while the node was not running. */
const lost = { exitCode: 255, reason: "Unknown" };

/**
 * Restores the state of a container from its status. A process that was running counts as exited, as after a reboot
 * of the node.
 */
export function resumeContainer(container: ContainerRecord, found: DeepReadonly<ContainerStatus>, now: number): void {
  const { state, lastState, containerID, restartCount } = found;
  container.id = containerID ?? "";
  container.restartCount = restartCount;
  container.lastView = copyState(lastState);
  if (state?.running !== undefined) {
    const startedAt = timeOf(state.running.startedAt) ?? now;
    container.view = { terminated: terminatedState(container, { ...lost, startedAt, finishedAt: now }) };
    container.stage = { at: "exited", exitCode: lost.exitCode, finishedAt: now };
  } else if (state?.terminated !== undefined) {
    const { exitCode, finishedAt } = state.terminated;
    container.view = copyState(state);
    container.stage = { at: "exited", exitCode, finishedAt: timeOf(finishedAt) ?? now };
  } else if (lastState?.terminated !== undefined) {
    const { exitCode, finishedAt } = lastState.terminated;
    container.view = copyState(state);
    container.stage = { at: "exited", exitCode, finishedAt: timeOf(finishedAt) ?? now };
  }
}

function copyState(state: DeepReadonly<ContainerState> | undefined): ContainerState {
  const { waiting, running, terminated } = state ?? {};
  return {
    ...(waiting === undefined ? {} : { waiting: { ...waiting } }),
    ...(running === undefined ? {} : { running: { ...running } }),
    ...(terminated === undefined ? {} : { terminated: { ...terminated } }),
  };
}

function timeOf(text: string | null | undefined): number | undefined {
  return text === undefined || text === null ? undefined : parseTime(text);
}
