import { checkCountOrPercent, isAbove100Percent } from "../../field-rules/count-or-percent.ts";
import type { Field } from "../../../validation/field.ts";
import { checkLabelSelector } from "../../../validation/label-selector.ts";
import { printedAs } from "../../printed-values/printed.ts";
import type { StatusCounts } from "../../updates/status-counts.ts";

/** Validates a PodDisruptionBudget except for its metadata; see `ValidatePodDisruptionBudgetSpec` in Kubernetes. */
export function checkDisruptionBudget(object: Field): void {
  const spec = object.at("spec");
  const [min, max] = [spec.at("minAvailable"), spec.at("maxUnavailable")];
  if (min.isSet && max.isSet) {
    const shown = printedAs("PodDisruptionBudgetSpec", spec.value);
    spec.invalid("minAvailable and maxUnavailable cannot be both set", shown);
  }
  for (const count of [min, max]) {
    if (!count.isSet) continue;
    checkCountOrPercent(count);
    if (isAbove100Percent(count)) count.invalid("must not be greater than 100%");
  }
  checkLabelSelector(spec.at("selector"));
  const policy = spec.at("unhealthyPodEvictionPolicy");
  if (policy.isSet) policy.oneOf(["AlwaysAllow", "IfHealthyBudget"]);
}

/** Counts in the status, in the order in which kube-apiserver checks them. */
export const budgetCounts: StatusCounts = {
  counts: ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"],
  parts: [],
};
