import { dnsLabelProblems } from "@homeostat/core";
import type { Field } from "../../../validation/field.ts";
import { checkJobSpec } from "../job-spec.ts";

/** Validates a Job except for its metadata; see `ValidateJob` in Kubernetes. */
export function checkJob(object: Field): void {
  const spec = object.at("spec");
  checkJobSpec(spec, { isTemplate: false });
  const completions = spec.at("completions").number;
  if (spec.at("completionMode").text !== "Indexed" || completions <= 0) return;
  const name = object.at("metadata").at("name");
  const last = `${name.text}-${completions - 1}`;
  if (dnsLabelProblems(last).length > 0) {
    name.invalid(`will not able to create pod with invalid DNS label: ${last}`, name.text);
  }
}

/** Checks an updated Job. kube-apiserver validates the spec twice, so each error is reported twice. */
export function checkChangedJob(object: Field): void {
  checkJob(object);
  checkJobSpec(object.at("spec"), { isTemplate: false });
}
