import { type DeepReadonly, isList, isRecord, type KubeObject, ownValue } from "@homeostat/core";
import type { Health, State } from "../api/types.ts";
import { builtInHealth } from "./built-in-health.ts";
import { recordIn } from "./fields.ts";

/** Returns the state of an object from its metadata and status. */
export function objectHealth(object: DeepReadonly<KubeObject>, { group, kind }: KindName): Health {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  if (deletionTimestamp !== undefined) {
    const message = finalizers.length === 0 ? "" : `Waiting for finalizers: ${finalizers.join(", ")}`;
    return { state: "progressing", word: "Deleting", message };
  }
  const isBuiltIn = group === "" || !group.includes(".") || group.endsWith(".k8s.io");
  const status = recordIn(object, "status");
  if (isBuiltIn) return builtInHealth(kind, object) ?? { state: "ready", word: "Exists", message: "" };
  return customHealth(status, object.metadata.generation);
}

/** Group and kind. */
export interface KindName {
  readonly group: string;
  readonly kind: string;
}

/** States of the phases that operators use. Another phase counts as ready. */
const phaseStates: Readonly<Record<string, State>> = {
  Failed: "problem",
  Error: "problem",
  Degraded: "problem",
  Invalid: "problem",
  Disconnected: "problem",
  Pending: "progressing",
  Creating: "progressing",
  Provisioning: "progressing",
  Starting: "progressing",
  Updating: "progressing",
  Terminating: "progressing",
  Deleting: "progressing",
  Unknown: "unknown",
  Succeeded: "finished",
  Completed: "finished",
  Hibernated: "finished",
  Suspended: "finished",
};

/** Returns the state of a phase of a custom resource. */
export function phaseState(phase: string): State {
  return phaseStates[phase] ?? "ready";
}

/** Conditions that summarize an object: False is a problem, unless the phase says that the object makes progress. */
const summaries = ["Ready", "Available", "Healthy", "Accepted"];
/** Conditions that are a problem while they are True. */
const alarms = ["Degraded", "Stalled", "Conflict", "Failed"];

interface ConditionText {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** Returns the state of a custom resource from its phase and conditions. */
function customHealth(status: unknown, generation: number | undefined): Health {
  if (!isRecord(status))
    return { state: "unknown", word: "No status", message: "No controller has written a status yet." };
  const conditions = conditionsIn(status);
  const phase = ownValue(status, "phase") ?? ownValue(status, "state");
  const observed = ownValue(status, "observedGeneration");
  const summary = conditions.find(({ type }) => summaries.includes(type));
  const alarm = conditions.find((one) => alarms.includes(one.type) && one.status === "True");
  const word = typeof phase === "string" && phase !== "" ? phase : undefined;
  const statusMessage = ownValue(status, "message");
  const message = summary?.message || (typeof statusMessage === "string" ? statusMessage : "");
  const stateOfPhase = word === undefined ? undefined : phaseState(word);
  if (typeof observed === "number" && generation !== undefined && observed < generation) {
    return {
      state: "progressing",
      word: word ?? "Outdated",
      message: "The controller has not observed the latest change of the spec.",
    };
  }
  if (alarm !== undefined && stateOfPhase !== "finished")
    return { state: "problem", word: alarm.reason || alarm.type, message: alarm.message };
  if (stateOfPhase !== undefined && stateOfPhase !== "ready") return { state: stateOfPhase, word: word ?? "", message };
  if (summary?.status === "False") return { state: "problem", word: summary.reason || "Not ready", message };
  if (summary?.status === "Unknown") return { state: "unknown", word: summary.reason || "Unknown", message };
  if (word !== undefined) return { state: "ready", word, message };
  if (summary !== undefined) return { state: "ready", word: "Ready", message };
  return { state: "unknown", word: "Unknown", message };
}

/** Returns the conditions of a status. Entries without a type are skipped. */
export function conditionsIn(status: unknown): (ConditionText & { readonly since: string })[] {
  const list = isRecord(status) ? ownValue(status, "conditions") : undefined;
  if (!isList(list)) return [];
  return list.filter(isRecord).flatMap((entry) => {
    const text = (name: string): string => {
      const value = ownValue(entry, name);
      return typeof value === "string" ? value : "";
    };
    const type = text("type");
    if (type === "") return [];
    const since = text("lastTransitionTime");
    return [{ type, status: text("status"), reason: text("reason"), message: text("message"), since }];
  });
}
