import { amountOf, checkCountOrPercent, isAbove100Percent } from "../../field-rules/count-or-percent.ts";
import type { Field } from "../../../validation/field.ts";
import { checkLongRunning, checkPodTemplate, checkSelectorMatchesTemplate } from "../../pod-templates/pod-template.ts";
import type { StatusCounts } from "../../updates/status-counts.ts";
import { printedStrategy } from "../update-strategy.ts";

/** Validates a Deployment except for its metadata; see `ValidateDeploymentSpec` in Kubernetes. */
export function checkDeployment(object: Field): void {
  const spec = object.at("spec");
  spec.at("replicas").notNegative();
  if (checkSelectorMatchesTemplate(spec, "deployment")) {
    checkPodTemplate(spec.at("template"));
    checkLongRunning(spec.at("template"), "ReplicaSet");
  }
  const strategy = spec.at("strategy");
  const rolling = strategy.at("rollingUpdate");
  if (strategy.at("type").text === "Recreate") {
    if (rolling.isSet) rolling.forbidden("may not be specified when strategy `type` is 'Recreate'");
  } else if (strategy.at("type").text === "RollingUpdate") checkRolling(rolling);
  else
    strategy.notSupported(["Recreate", "RollingUpdate"], printedStrategy(strategy, { maxUnavailable: 0, maxSurge: 0 }));
  spec.at("minReadySeconds").notNegative();
  spec.at("revisionHistoryLimit").notNegative();
  const deadline = spec.at("progressDeadlineSeconds");
  if (deadline.isSet) {
    deadline.notNegative();
    if (deadline.number <= spec.at("minReadySeconds").number) deadline.invalid("must be greater than minReadySeconds");
  }
}

function checkRolling(rolling: Field): void {
  const [down, up] = [rolling.at("maxUnavailable"), rolling.at("maxSurge")];
  checkCountOrPercent(down);
  checkCountOrPercent(up);
  if (amountOf(down) === 0 && amountOf(up) === 0) down.invalid("may not be 0 when `maxSurge` is 0");
  if (isAbove100Percent(down)) down.invalid("must not be greater than 100%");
}

/** Counts in the status, in the order in which kube-apiserver checks them. */
export const deploymentCounts: StatusCounts = {
  counts: [
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
  ],
  parts: ["updatedReplicas", "readyReplicas", "availableReplicas"],
  availableWords: "cannot be greater than readyReplicas",
};
