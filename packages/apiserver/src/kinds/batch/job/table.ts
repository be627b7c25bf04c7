import { humanDuration } from "@homeostat/core";
import { isSet, listAt, numberAt, valueAt } from "../../../values/fields.ts";
import { age, containerCells, instantMs, isTrue, nameOf, selectorText } from "../../../tables/cell-text.ts";
import { selectorWords } from "../../workload-cells.ts";

const statusConditions = [
  ["Suspended", "Suspended"],
  ["FailureTarget", "FailureTarget"],
  ["SuccessCriteriaMet", "SuccessCriteriaMet"],
] as const;

/** Returns the table cells of a job. */
export function jobCells(object: unknown, nowMs: number): unknown[] {
  return [
    nameOf(object),
    jobStatus(object),
    completionsOf(object),
    durationOf(object, nowMs),
    age(object, nowMs),
    ...containerCells(valueAt(object, "spec", "template")),
    selectorText(object, selectorWords, "spec", "selector"),
  ];
}

function jobStatus(job: unknown): string {
  const conditions = listAt(job, "status", "conditions");
  if (isTrue(conditions, "Complete")) return "Complete";
  if (isTrue(conditions, "Failed")) return "Failed";
  if (isSet(job, "metadata", "deletionTimestamp")) return "Terminating";
  return statusConditions.find(([type]) => isTrue(conditions, type))?.[1] ?? "Running";
}

function completionsOf(job: unknown): string {
  const done = numberAt(job, "status", "succeeded");
  if (isSet(job, "spec", "completions")) return `${done}/${numberAt(job, "spec", "completions")}`;
  const parallelism = numberAt(job, "spec", "parallelism");
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function durationOf(job: unknown, nowMs: number): string {
  const start = instantMs(valueAt(job, "status", "startTime"));
  if (start === undefined) return "";
  return humanDuration((instantMs(valueAt(job, "status", "completionTime")) ?? nowMs) - start);
}
