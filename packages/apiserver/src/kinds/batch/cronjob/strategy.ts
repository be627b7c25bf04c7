import { isSet, listAt, textAt, valueAt } from "../../../values/fields.ts";
import { age, containerCells, nameOf, selectorText, setOr, since } from "../../../tables/cell-text.ts";
import { createParts } from "../../defaulting/defaults.ts";
import { subdomainName } from "../../../validation/names.ts";
import { selectorWords } from "../../workload-cells.ts";
import type { KindStrategy } from "../../strategy.ts";
import { checkCronJob } from "./validation.ts";

/** CronJobs: the name is limited, because the names of Jobs are derived from it. */
export const cronJobStrategy: KindStrategy = {
  group: "batch",
  plural: "cronjobs",
  hasGeneration: true,
  defaults: {
    "batch.v1.CronJobSpec": {
      values: {
        concurrencyPolicy: "Allow",
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
      },
      rule: createParts("jobTemplate"),
    },
    "batch.v1.JobTemplateSpec": { rule: createParts("spec") },
  },
  // The controller appends 11 characters to the name of a CronJob, and the name of a Job must not exceed 63.
  validateName: (name, options) => [
    ...subdomainName(name, options),
    ...(name.length > 52 ? ["must be no more than 52 characters"] : []),
  ],
  validate: checkCronJob,
  podTemplatePath: ["spec", "jobTemplate", "spec", "template"],
  table: { cells: cronJobCells },
};

function cronJobCells(object: unknown, nowMs: number): unknown[] {
  const suspend = valueAt(object, "spec", "suspend");
  const last = valueAt(object, "status", "lastScheduleTime");
  return [
    nameOf(object),
    textAt(object, "spec", "schedule"),
    setOr(object, ["spec", "timeZone"], "<none>"),
    suspend === true ? "True" : suspend === false ? "False" : "<unset>",
    listAt(object, "status", "active").length,
    isSet(last) ? since(last, nowMs) : "<none>",
    age(object, nowMs),
    ...containerCells(valueAt(object, "spec", "jobTemplate", "spec", "template")),
    selectorText(object, selectorWords, "spec", "jobTemplate", "spec", "selector"),
  ];
}
