import { type DeepReadonly, formatTime, isRecord, type KubeObject, ownValue } from "@homeostat/core";
import { recordIn, textIn } from "../health/fields.ts";
import type { Action } from "./action.ts";

const kind = { group: "locust.io", kind: "LocustTest" };

/** Annotations that the Locust operator handles. A test compares them with those of the operator. */
export const locustAnnotations = { stop: "locust.io/stop", rerun: "locust.io/rerun" } as const;

/** Stops a run, or the preparation of one. The value of the annotation is the reason. */
const stop: Action = {
  ...kind,
  name: "stop",
  label: "Stop",
  description:
    "Locust stops its users, the operator records the results so far and ends the Jobs. The run counts as failed, with the outcome Aborted.",
  inputs: [{ name: "reason", label: "Reason", initial: "stopped in the dashboard" }],
  isDangerous: true,
  isOffered: (test) => isPhase(test, "Pending", "Running") && recordIn(statusOf(test), "stop") === undefined,
  patch(test, { inputs, nowMs }) {
    const reason = (inputs.get("reason") ?? "").trim();
    if (reason === "") return { problem: "Enter a reason." };
    // The operator ignores the value that the annotation had when the run started.
    const isIgnored = reason === textIn(statusOf(test), "ignoredStop");
    return annotate(locustAnnotations.stop, isIgnored ? `${reason} (${formatTime(nowMs)})` : reason);
  },
};

/** Starts another run of a finished test. The operator starts one run for each new value of the annotation. */
const rerun: Action = {
  ...kind,
  name: "rerun",
  label: "Run again",
  description:
    "The operator deletes the Jobs of the last run and starts a run from the present spec. The result of the last run moves to the history, which has the last five runs.",
  isOffered(test) {
    const requested = annotationOf(test, locustAnnotations.rerun);
    const isRequested = requested !== "" && requested !== textIn(statusOf(test), "lastRerunToken");
    return isPhase(test, "Succeeded", "Failed") && !isRequested;
  },
  patch: (_test, { nowMs, random }) =>
    annotate(locustAnnotations.rerun, `${formatTime(nowMs)}-${random.int(1_000_000)}`),
};

/** Actions of load tests. */
export const locustActions: readonly Action[] = [stop, rerun];

function annotate(name: string, value: string): { readonly patch: Readonly<Record<string, unknown>> } {
  return { patch: { metadata: { annotations: { [name]: value } } } };
}

function statusOf(test: DeepReadonly<KubeObject>): unknown {
  return recordIn(test, "status");
}

function isPhase(test: DeepReadonly<KubeObject>, ...phases: readonly string[]): boolean {
  return test.metadata.deletionTimestamp === undefined && phases.includes(textIn(statusOf(test), "phase"));
}

function annotationOf({ metadata: { annotations } }: DeepReadonly<KubeObject>, name: string): string {
  const value = isRecord(annotations) ? ownValue(annotations, name) : undefined;
  return typeof value === "string" ? value : "";
}
