import type { JsonRecord } from "@homeostat/core";
import { numberAt, valueAt } from "../../../values/fields.ts";
import { age, containerCells, nameOf } from "../../../tables/cell-text.ts";
import { labelName } from "../../../validation/names.ts";
import { labelSelectorText } from "../../selectors/selector-text.ts";
import { checkCounts } from "../../updates/status-counts.ts";
import { templateWarnings } from "../../pod-templates/template-warnings.ts";
import type { KindStrategy } from "../../strategy.ts";
import { statefulSetDefaults } from "./defaults.ts";
import { checkChangedStatefulSet, checkStatefulSet, checkStatefulSetUpdate, statefulSetCounts } from "./validation.ts";

/** StatefulSets: only a few fields of the spec can change; the volume claim templates are not among them. */
export const statefulSetStrategy: KindStrategy = {
  group: "apps",
  plural: "statefulsets",
  hasGeneration: true,
  defaults: statefulSetDefaults,
  validateName: labelName,
  validate: checkStatefulSet,
  validateChanged: checkChangedStatefulSet,
  validateUpdate: checkStatefulSetUpdate,
  status: { validate: checkCounts(statefulSetCounts) },
  warnings: statefulSetWarnings,
  scaleSelector: labelSelectorText,
  podTemplatePath: ["spec", "template"],
  table: { cells: statefulSetCells },
};

function statefulSetCells(object: unknown, nowMs: number): unknown[] {
  return [
    nameOf(object),
    `${numberAt(object, "status", "readyReplicas")}/${numberAt(object, "spec", "replicas")}`,
    age(object, nowMs),
    ...containerCells(valueAt(object, "spec", "template")),
  ];
}

function statefulSetWarnings(object: JsonRecord, old: JsonRecord | undefined): readonly string[] {
  return [
    ...templateWarnings(object, old),
    ...(numberAt(object, "spec", "revisionHistoryLimit") < 0
      ? ["spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"]
      : []),
  ];
}
