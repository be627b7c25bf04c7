import { isRecord, type JsonRecord } from "@homeostat/core";
import { isSet, valueAt } from "../../../values/fields.ts";
import { createParts, labelsFrom, type TypeDefaults } from "../../defaulting/defaults.ts";
import { fill, partOf } from "../../defaulting/fill.ts";

function defaultJob(value: JsonRecord): void {
  const spec = partOf(value, "spec");
  if (!isSet(spec, "completions") && !isSet(spec, "parallelism")) fill(spec, { completions: 1 });
  fill(spec, {
    parallelism: 1,
    backoffLimit: isSet(spec, "backoffLimitPerIndex") ? 2147483647 : 6,
    completionMode: "NonIndexed",
    suspend: false,
    podReplacementPolicy: isSet(spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed",
    manualSelector: false,
  });
  const labels = valueAt(spec, "template", "metadata", "labels");
  if (isRecord(labels)) labelsFrom(value, labels);
}

/** Defaults of Jobs, and of the job specs in CronJobs. */
export const jobDefaults: TypeDefaults = {
  "batch.v1.Job": { rule: defaultJob },
  "batch.v1.JobSpec": { rule: createParts("template") },
  "batch.v1.PodFailurePolicyOnPodConditionsPattern": { values: { status: "True" } },
};
