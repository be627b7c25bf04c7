import type { Field } from "../../../validation/field.ts";
import { checkJobSpec } from "../job-spec.ts";

/** Validates a CronJob except for its metadata; see `ValidateCronJobSpec` in Kubernetes. */
export function checkCronJob(object: Field): void {
  const spec = object.at("spec");
  checkSchedule(spec.at("schedule"));
  checkTimeZone(spec.at("timeZone"));
  spec.at("startingDeadlineSeconds").notNegative();
  spec.at("concurrencyPolicy").oneOf(["Allow", "Forbid", "Replace"], { isRequired: true });
  checkJobSpec(spec.at("jobTemplate").at("spec"), { isTemplate: true });
  spec.at("successfulJobsHistoryLimit").notNegative();
  spec.at("failedJobsHistoryLimit").notNegative();
}

/** Checks that a schedule has five fields or is a macro such as `@daily`. The fields themselves are not validated. */
function checkSchedule(schedule: Field): void {
  const parts = schedule.text.split(/\s+/).filter((part) => part !== "");
  if (schedule.text === "") schedule.required();
  else if (parts.length !== 5 && !schedule.text.startsWith("@")) {
    schedule.invalid(`expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`);
  }
}

function checkTimeZone(zone: Field): void {
  if (!zone.isSet) return;
  if (zone.text === "") zone.invalid("timeZone must be nil or non-empty string");
  else if (!isTimeZone(zone.text)) zone.invalid(`unknown time zone ${zone.text}`);
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
