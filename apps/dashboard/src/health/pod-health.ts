import type { Health } from "../api/types.ts";
import { listIn, numberIn, recordIn, textIn } from "./fields.ts";

/** Reasons for which a container waits in the normal course of its start. */
const startReasons = ["", "ContainerCreating", "PodInitializing"];

/** Returns the state of a pod: the first container that cannot run, or the number of ready containers. */
export function podHealth(status: unknown): Health {
  const phase = textIn(status, "phase") || "Pending";
  const message = textIn(status, "message");
  if (phase === "Succeeded") return { state: "finished", word: "Succeeded", message };
  if (phase === "Failed") return { state: "problem", word: textIn(status, "reason") || "Failed", message };
  const containers = [...listIn(status, "initContainerStatuses"), ...listIn(status, "containerStatuses")];
  for (const container of containers) {
    const problem = containerProblem(container);
    if (problem !== undefined) return problem;
  }
  const unschedulable = listIn(status, "conditions").find(
    (entry) => textIn(entry, "type") === "PodScheduled" && textIn(entry, "reason") === "Unschedulable",
  );
  if (unschedulable !== undefined)
    return { state: "problem", word: "Unschedulable", message: textIn(unschedulable, "message") };
  const main = listIn(status, "containerStatuses");
  const ready = main.filter((entry) => isTrue(entry, "ready")).length;
  if (phase !== "Running") return { state: "progressing", word: phase, message };
  const isReady = main.length > 0 && ready === main.length;
  const word = isReady ? "Running" : `${ready}/${main.length} ready`;
  return { state: isReady ? "ready" : "progressing", word, message };
}

function containerProblem(container: unknown): Health | undefined {
  const state = recordIn(container, "state");
  const waiting = recordIn(state, "waiting");
  const terminated = recordIn(state, "terminated");
  const name = textIn(container, "name");
  const reason = textIn(waiting, "reason");
  if (waiting !== undefined && !startReasons.includes(reason))
    return { state: "problem", word: reason, message: `Container ${name}: ${textIn(waiting, "message") || reason}` };
  const exitCode = numberIn(terminated, "exitCode") ?? 0;
  if (exitCode === 0) return undefined;
  const word = textIn(terminated, "reason") || "Error";
  return { state: "problem", word, message: `Container ${name} exited with code ${exitCode}.` };
}

function isTrue(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && name in value && Reflect.get(value, name) === true;
}
