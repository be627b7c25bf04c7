// Validation of job specs, in Jobs and in the templates of CronJobs.

import type { Field } from "../../validation/field.ts";
import { checkLabelSelector } from "../../validation/label-selector.ts";
import { checkPodTemplate, selectorMatches, printedLabels } from "../pod-templates/pod-template.ts";

/** Checks a job spec; `isTemplate` for the template of a CronJob, which has no selector. */
export function checkJobSpec(spec: Field, { isTemplate }: { isTemplate: boolean }): void {
  const numbers = [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
  ];
  for (const name of numbers) spec.at(name).notNegative();
  if (spec.at("maxFailedIndexes").isSet) {
    spec.at("maxFailedIndexes").notNegative();
    if (!spec.at("backoffLimitPerIndex").isSet) {
      spec.at("backoffLimitPerIndex").required("when maxFailedIndexes is specified");
    }
  }
  const mode = spec.at("completionMode");
  if (mode.isSet) {
    if (mode.text !== "Indexed" && mode.text !== "NonIndexed") mode.notSupported(["NonIndexed", "Indexed"]);
    if (mode.text === "Indexed" && !spec.at("completions").isSet) {
      spec.at("completions").required("when completion mode is Indexed");
    }
    if (mode.text === "Indexed" && spec.at("parallelism").number > 100_000) {
      spec.at("parallelism").invalid("must be less than or equal to 100000 when completion mode is Indexed");
    }
    if (mode.text === "NonIndexed" && spec.at("backoffLimitPerIndex").isSet) {
      spec.at("backoffLimitPerIndex").invalid("requires indexed completion mode");
    }
  }
  if (spec.at("podFailurePolicy").isSet) checkFailurePolicy(spec);
  const replacement = spec.at("podReplacementPolicy");
  if (replacement.isSet) {
    if (spec.at("podFailurePolicy").isSet) replacement.oneOf(["Failed"]);
    else replacement.oneOf(["Failed", "TerminatingOrFailed"]);
  }
  checkPodTemplate(spec.at("template"));
  const policy = spec.at("template").at("spec").at("restartPolicy");
  if (policy.text === "" || policy.text === "Always") {
    policy.required(`valid values: "OnFailure", "Never"`);
  } else if (policy.text !== "OnFailure" && policy.text !== "Never") {
    policy.notSupported(["OnFailure", "Never"]);
  } else if (spec.at("podFailurePolicy").isSet && policy.text !== "Never") {
    policy.invalid(`only "Never" is supported when podFailurePolicy is specified`);
  }
  const selector = spec.at("selector");
  if (isTemplate) {
    if (spec.at("manualSelector").value === true) spec.at("manualSelector").notSupported(["nil", "false"], true);
    return;
  }
  if (!selector.isSet) selector.required();
  else checkLabelSelector(selector);
  const labels = spec.at("template").at("metadata").at("labels");
  const isChosen = selector.isSet ? selectorMatches(selector, labels) : false;
  if (isChosen === false) {
    labels.invalid("`selector` does not match template `labels`", printedLabels(labels));
  }
}

const failureActions = ["Count", "FailIndex", "FailJob", "Ignore"];

function checkFailurePolicy(spec: Field): void {
  const rules = spec.at("podFailurePolicy").at("rules");
  const pod = spec.at("template").at("spec");
  const names = ["containers", "initContainers"].flatMap((list) =>
    pod
      .at(list)
      .items()
      .map((container) => container.at("name").text),
  );
  if (rules.length > 20) rules.invalid("must have at most 20 items", rules.length);
  for (const rule of rules.items()) {
    const action = rule.at("action");
    if (action.text === "") action.required(`valid values: ["Count" "FailIndex" "FailJob" "Ignore"]`);
    else if (!failureActions.includes(action.text)) action.notSupported(failureActions);
    const codes = rule.at("onExitCodes");
    if (codes.isSet) {
      const operator = codes.at("operator");
      if (operator.text === "") operator.required(`valid values: ["In" "NotIn"]`);
      else if (!["In", "NotIn"].includes(operator.text)) operator.notSupported(["In", "NotIn"]);
      const name = codes.at("containerName");
      if (name.isSet && !names.includes(name.text)) {
        name.invalid("must be one of the container or initContainer names in the pod template");
      }
      checkExitCodes(codes, operator.text);
    }
    for (const pattern of rule.at("onPodConditions").items()) {
      pattern.at("type").qualifiedName();
      const status = pattern.at("status");
      if (!["False", "True", "Unknown"].includes(status.text)) status.notSupported(["False", "True", "Unknown"]);
    }
    const hasConditions = rule.at("onPodConditions").length > 0;
    if (codes.isSet && hasConditions) {
      rule.nameless("specifying both OnExitCodes and OnPodConditions is not supported");
    }
    if (!codes.isSet && !hasConditions) rule.nameless("specifying one of OnExitCodes and OnPodConditions is required");
  }
}

function checkExitCodes(codes: Field, operator: string): void {
  const values = codes.at("values");
  if (values.length === 0) values.invalid("at least one value is required", values.value ?? null);
  const seen = new Set<number>();
  for (const value of values.items()) {
    if (operator === "In" && value.number === 0) value.invalid(`must not be 0 for the In operator`, 0);
    if (seen.has(value.number)) value.duplicate();
    seen.add(value.number);
  }
  const numbers = values.items().map((value) => value.number);
  if (numbers.some((number, index) => number < (numbers[index - 1] ?? number))) values.invalid("must be ordered");
}
