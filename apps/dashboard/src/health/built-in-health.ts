import type { DeepReadonly, KubeObject } from "@homeostat/core";
import type { Health } from "../api/types.ts";
import { listIn, numberIn, recordIn, textIn } from "./fields.ts";
import { podHealth } from "./pod-health.ts";

/** Returns the state of an object of a built-in kind with a status; undefined for other kinds, whose existence is enough. */
export function builtInHealth(kind: string, object: DeepReadonly<KubeObject>): Health | undefined {
  const spec = recordIn(object, "spec");
  const status = recordIn(object, "status");
  switch (kind) {
    case "Pod":
      return podHealth(status);
    case "Deployment":
    case "StatefulSet":
    case "ReplicaSet":
      return replicaHealth({
        desired: numberIn(spec, "replicas") ?? 1,
        ready: numberIn(status, "readyReplicas") ?? 0,
        updated: kind === "ReplicaSet" ? undefined : (numberIn(status, "updatedReplicas") ?? 0),
        failure: failedConditions(status),
      });
    case "DaemonSet":
      return replicaHealth({
        desired: numberIn(status, "desiredNumberScheduled") ?? 0,
        ready: numberIn(status, "numberReady") ?? 0,
        updated: numberIn(status, "updatedNumberScheduled") ?? 0,
        failure: "",
      });
    case "Job":
      return jobHealth(status);
    case "PersistentVolumeClaim":
    case "Namespace":
      return phaseHealth(status);
    default:
      return undefined;
  }
}

interface Replicas {
  readonly desired: number;
  readonly ready: number;
  /** Undefined for a kind without updates. */
  readonly updated: number | undefined;
  /** Message of a failed condition; empty if there is none. */
  readonly failure: string;
}

function replicaHealth({ desired, ready, updated, failure }: Replicas): Health {
  const word = `${ready}/${desired} ready`;
  if (failure !== "") return { state: "problem", word, message: failure };
  if (desired === 0) return { state: "finished", word: "Scaled to 0", message: "" };
  const isUpdated = updated === undefined || updated >= desired;
  if (ready >= desired && isUpdated) return { state: "ready", word, message: "" };
  return { state: "progressing", word, message: isUpdated ? "" : `${updated}/${desired} updated` };
}

/** Returns the message of a condition that says that pods cannot be created or do not become ready. */
function failedConditions(status: unknown): string {
  for (const entry of listIn(status, "conditions")) {
    const type = textIn(entry, "type");
    const value = textIn(entry, "status");
    if ((type === "ReplicaFailure" && value === "True") || (type === "Progressing" && value === "False"))
      return textIn(entry, "message") || textIn(entry, "reason");
  }
  return "";
}

function jobHealth(status: unknown): Health {
  for (const entry of listIn(status, "conditions")) {
    if (textIn(entry, "status") !== "True") continue;
    if (textIn(entry, "type") === "Failed")
      return { state: "problem", word: textIn(entry, "reason") || "Failed", message: textIn(entry, "message") };
    if (textIn(entry, "type") === "Complete") return { state: "finished", word: "Complete", message: "" };
    if (textIn(entry, "type") === "Suspended") return { state: "finished", word: "Suspended", message: "" };
  }
  const active = numberIn(status, "active") ?? 0;
  return {
    state: active > 0 ? "ready" : "progressing",
    word: active > 0 ? `${active} active` : "Starting",
    message: "",
  };
}

function phaseHealth(status: unknown): Health {
  const phase = textIn(status, "phase") || "Pending";
  const isReady = phase === "Bound" || phase === "Active";
  return { state: isReady ? "ready" : phase === "Lost" ? "problem" : "progressing", word: phase, message: "" };
}
