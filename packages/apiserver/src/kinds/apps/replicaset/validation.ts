import type { Field } from "../../../validation/field.ts";
import { checkLongRunning, checkPodTemplate, checkSelectorMatchesTemplate } from "../../pod-templates/pod-template.ts";
import type { StatusCounts } from "../../updates/status-counts.ts";

/** Validates a ReplicaSet except for its metadata; see `ValidateReplicaSetSpec` in Kubernetes. */
export function checkReplicaSet(object: Field): void {
  const spec = object.at("spec");
  spec.at("replicas").notNegative();
  spec.at("minReadySeconds").notNegative();
  if (checkSelectorMatchesTemplate(spec, "deployment")) {
    checkPodTemplate(spec.at("template"));
    checkLongRunning(spec.at("template"), "ReplicaSet");
  }
}

/** Counts in the status, in the order in which kube-apiserver checks them. */
export const replicaSetCounts: StatusCounts = {
  counts: [
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
    "terminatingReplicas",
  ],
  parts: ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
  availableWords: "cannot be greater than readyReplicas",
};
