// The row of a pod in `kubectl get pods`, whose STATUS summarizes all containers; a port of `printPod` of Kubernetes.

import { isSet, listAt, numberAt, textAt, valueAt } from "../../../values/fields.ts";
import { age, instantMs, isTrue, nameOf, textOr, since } from "../../../tables/cell-text.ts";

/** Sums over the containers of a pod. */
interface Tally extends Restarts {
  reason: string;
  ready: number;
}

interface Restarts {
  restarts: number;
  lastRestartMs: number | undefined;
}

/** Returns the table cells of a pod. */
export function podCells(pod: unknown, nowMs: number): unknown[] {
  const { reason, ready, restarts, lastRestartMs } = tallyOf(pod);
  const sidecars = listAt(pod, "spec", "initContainers").filter(isSidecar).length;
  const total = listAt(pod, "spec", "containers").length + sidecars;
  const ago = lastRestartMs === undefined ? "" : ` (${since(new Date(lastRestartMs).toISOString(), nowMs)} ago)`;
  return [
    nameOf(pod),
    `${ready}/${total}`,
    reason,
    restarts === 0 ? "0" : `${restarts}${ago}`,
    age(pod, nowMs),
    textOr(textAt(valueAt(pod, "status", "podIPs", 0), "ip"), "<none>"),
    textOr(textAt(pod, "spec", "nodeName"), "<none>"),
    textOr(textAt(pod, "status", "nominatedNodeName"), "<none>"),
    readinessGatesOf(pod),
  ];
}

/** Returns the row condition of a pod that has completed. */
export function podRowConditions(pod: unknown): unknown[] | undefined {
  const phase = textAt(pod, "status", "phase");
  if (phase !== "Succeeded" && phase !== "Failed") return undefined;
  const message = phase === "Succeeded" ? "The pod has completed successfully." : "The pod failed.";
  return [{ type: "Completed", status: "True", reason: phase, message }];
}

function tallyOf(pod: unknown): Tally {
  const conditions = listAt(pod, "status", "conditions");
  const phase = textAt(pod, "status", "phase");
  const isGated = conditions.some(
    (condition) => textAt(condition, "type") === "PodScheduled" && textAt(condition, "reason") === "SchedulingGated",
  );
  const reason = isGated ? "SchedulingGated" : textOr(textAt(pod, "status", "reason"), phase);
  const { tally: before, sidecars, isInitializing } = tallyInitContainers(pod, reason);
  // Restarts of init containers count only until the pod runs; those of sidecars always count.
  const isRunning = !isInitializing || isTrue(conditions, "Initialized");
  const tally = isRunning ? tallyContainers(pod, { ...before, ...sidecars }, conditions) : before;
  if (isSet(pod, "metadata", "deletionTimestamp")) {
    if (textAt(pod, "status", "reason") === "NodeLost") tally.reason = "Unknown";
    else if (phase !== "Failed" && phase !== "Succeeded") tally.reason = "Terminating";
  }
  return tally;
}

function tallyInitContainers(
  pod: unknown,
  reason: string,
): { tally: Tally; sidecars: Restarts; isInitializing: boolean } {
  const containers = listAt(pod, "spec", "initContainers");
  const tally: Tally = { reason, ready: 0, restarts: 0, lastRestartMs: undefined };
  const sidecars: Restarts = { restarts: 0, lastRestartMs: undefined };
  for (const [index, status] of listAt(pod, "status", "initContainerStatuses").entries()) {
    const container = containers.find((each) => textAt(each, "name") === textAt(status, "name"));
    countRestarts(tally, status);
    if (isSidecar(container)) countRestarts(sidecars, status);
    const terminated = valueAt(status, "state", "terminated");
    if (isSet(terminated) && numberAt(terminated, "exitCode") === 0) continue;
    if (isSidecar(container) && valueAt(status, "started") === true) {
      if (valueAt(status, "ready") === true) tally.ready += 1;
      continue;
    }
    const waiting = textAt(status, "state", "waiting", "reason");
    if (isSet(terminated)) tally.reason = `Init:${terminationReason(terminated)}`;
    else if (waiting !== "" && waiting !== "PodInitializing") tally.reason = `Init:${waiting}`;
    else tally.reason = `Init:${index}/${containers.length}`;
    return { tally, sidecars, isInitializing: true };
  }
  return { tally, sidecars, isInitializing: false };
}

function tallyContainers(pod: unknown, before: Tally, conditions: readonly unknown[]): Tally {
  const tally: Tally = { ...before };
  let isRunning = false;
  let errorReason = "";
  for (const status of listAt(pod, "status", "containerStatuses").toReversed()) {
    countRestarts(tally, status);
    const waiting = textAt(status, "state", "waiting", "reason");
    const terminated = valueAt(status, "state", "terminated");
    if (waiting !== "") tally.reason = waiting;
    else if (isSet(terminated)) {
      tally.reason = terminationReason(terminated);
      if (numberAt(terminated, "exitCode") !== 0) errorReason = tally.reason;
    } else if (valueAt(status, "ready") === true && isSet(status, "state", "running")) {
      isRunning = true;
      tally.ready += 1;
    }
  }
  if (tally.reason === "Completed") {
    // A pod with a running container is not completed.
    if (isRunning && conditions.some((each) => textAt(each, "type") === "Ready" && textAt(each, "status") === "True")) {
      tally.reason = "Running";
    } else if (errorReason !== "") tally.reason = errorReason;
    else if (isRunning) tally.reason = "NotReady";
  }
  return tally;
}

function countRestarts(tally: Restarts, status: unknown): void {
  tally.restarts += numberAt(status, "restartCount");
  const endedMs = instantMs(valueAt(status, "lastState", "terminated", "finishedAt"));
  if (endedMs !== undefined && endedMs > (tally.lastRestartMs ?? Number.NEGATIVE_INFINITY))
    tally.lastRestartMs = endedMs;
}

function terminationReason(terminated: unknown): string {
  const reason = textAt(terminated, "reason");
  if (reason !== "") return reason;
  const signal = numberAt(terminated, "signal");
  return signal === 0 ? `ExitCode:${numberAt(terminated, "exitCode")}` : `Signal:${signal}`;
}

function isSidecar(container: unknown): boolean {
  return textAt(container, "restartPolicy") === "Always";
}

function readinessGatesOf(pod: unknown): string {
  const gates = listAt(pod, "spec", "readinessGates");
  if (gates.length === 0) return "<none>";
  const conditions = listAt(pod, "status", "conditions");
  return `${gates.filter((gate) => isTrue(conditions, textAt(gate, "conditionType"))).length}/${gates.length}`;
}
