import { amountOf, checkCountOrPercent } from "../../field-rules/count-or-percent.ts";
import type { Field } from "../../../validation/field.ts";
import { checkLabelSelector } from "../../../validation/label-selector.ts";
import {
  checkLongRunning,
  checkPodTemplate,
  selectorMatches,
  printedLabels,
  printedSelector,
} from "../../pod-templates/pod-template.ts";
import type { StatusCounts } from "../../updates/status-counts.ts";
import { printedStrategy } from "../update-strategy.ts";

/** Validates a DaemonSet except for its metadata; see `ValidateDaemonSetSpec` in Kubernetes. */
export function checkDaemonSet(object: Field): void {
  const spec = object.at("spec");
  const selector = spec.at("selector");
  checkLabelSelector(selector);
  const labels = spec.at("template").at("metadata").at("labels");
  const isEmpty = selector.at("matchLabels").length + selector.at("matchExpressions").length === 0;
  if (!selector.isSet || selectorMatches(selector, labels) === false) {
    labels.invalid("`selector` does not match template `labels`", printedLabels(labels));
  }
  if (isEmpty && selector.isSet) selector.invalid("empty selector is invalid for daemonset", printedSelector(selector));
  checkPodTemplate(spec.at("template"));
  checkLongRunning(spec.at("template"), "DaemonSet");
  spec.at("minReadySeconds").notNegative();
  const strategy = spec.at("updateStrategy");
  if (strategy.at("type").text === "RollingUpdate") {
    const rolling = strategy.at("rollingUpdate");
    checkCountOrPercent(rolling.at("maxUnavailable"));
    checkCountOrPercent(rolling.at("maxSurge"));
    const hasDown = amountOf(rolling.at("maxUnavailable")) !== 0;
    const hasUp = amountOf(rolling.at("maxSurge")) !== 0;
    if (hasDown && hasUp) rolling.at("maxSurge").invalid("may not be set when maxUnavailable is non-zero");
    if (!hasDown && !hasUp) rolling.at("maxUnavailable").required("cannot be 0 when maxSurge is 0");
  } else if (strategy.at("type").text !== "OnDelete") {
    strategy.notSupported(["RollingUpdate", "OnDelete"], printedStrategy(strategy, { maxUnavailable: 0, maxSurge: 0 }));
  }
  spec.at("revisionHistoryLimit").notNegative();
}

/** Counts in the status, in the order in which kube-apiserver checks them. */
export const daemonSetCounts: StatusCounts = {
  counts: [
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
  ],
  parts: [],
};
