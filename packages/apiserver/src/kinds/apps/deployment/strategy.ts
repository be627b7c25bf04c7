import { isEqual, isRecord, type JsonRecord } from "@homeostat/core";
import { numberAt, textAt, valueAt } from "../../../values/fields.ts";
import { age, containerCells, nameOf, selectorText } from "../../../tables/cell-text.ts";
import { createParts } from "../../defaulting/defaults.ts";
import { checkImmutableSelector } from "../../updates/immutable.ts";
import { podNameWarnings } from "../../pod-templates/pod-warnings.ts";
import { labelSelectorText } from "../../selectors/selector-text.ts";
import { checkCounts } from "../../updates/status-counts.ts";
import { templateWarnings } from "../../pod-templates/template-warnings.ts";
import type { KindStrategy } from "../../strategy.ts";
import { defaultHistory, defaultRollingUpdate } from "../update-strategy.ts";
import { checkDeployment, deploymentCounts } from "./validation.ts";

/** Deployments: the selector is immutable, and a change of annotations increments the generation too. */
export const deploymentStrategy: KindStrategy = {
  group: "apps",
  plural: "deployments",
  hasGeneration: true,
  changesGeneration: changesSpecOrAnnotations,
  defaults: {
    "apps.v1.DeploymentSpec": {
      values: { replicas: 1, progressDeadlineSeconds: 600, ...defaultHistory },
      rule: createParts("strategy", "template"),
    },
    "apps.v1.DeploymentStrategy": { rule: defaultRollingUpdate({ maxUnavailable: "25%", maxSurge: "25%" }) },
  },
  validate: checkDeployment,
  validateUpdate: checkImmutableSelector,
  status: {
    keptMetadata: ["labels"],
    resetFields: [["spec"], ["metadata", "labels"]],
    validate: checkCounts(deploymentCounts),
  },
  warnings: deploymentWarnings,
  scaleSelector: labelSelectorText,
  podTemplatePath: ["spec", "template"],
  table: { cells: deploymentCells },
};

/** Reports whether the spec or the annotations changed: the controller copies the annotations to the ReplicaSets. */
function changesSpecOrAnnotations(object: JsonRecord, old: JsonRecord): boolean {
  const annotations = (each: JsonRecord): unknown =>
    isRecord(each["metadata"]) ? (each["metadata"]["annotations"] ?? {}) : {};
  return !isEqual(object["spec"], old["spec"]) || !isEqual(annotations(object), annotations(old));
}

function deploymentCells(object: unknown, nowMs: number): unknown[] {
  return [
    nameOf(object),
    `${numberAt(object, "status", "readyReplicas")}/${numberAt(object, "spec", "replicas")}`,
    numberAt(object, "status", "updatedReplicas"),
    numberAt(object, "status", "availableReplicas"),
    age(object, nowMs),
    ...containerCells(valueAt(object, "spec", "template")),
    selectorText(object, { none: "", invalid: "<invalid>" }, "spec", "selector"),
  ];
}

function deploymentWarnings(object: JsonRecord, old: JsonRecord | undefined): readonly string[] {
  return [
    ...(old === undefined ? podNameWarnings(textAt(object, "metadata", "name")) : []),
    ...templateWarnings(object, old),
  ];
}
