import { numberAt, valueAt } from "../../../values/fields.ts";
import { age, containerCells, labelText, nameOf, selectorText } from "../../../tables/cell-text.ts";
import { createParts } from "../../defaulting/defaults.ts";
import { checkImmutableSelector } from "../../updates/immutable.ts";
import { checkCounts } from "../../updates/status-counts.ts";
import { templateWarnings } from "../../pod-templates/template-warnings.ts";
import { selectorWords } from "../../workload-cells.ts";
import type { KindStrategy } from "../../strategy.ts";
import { defaultHistory, defaultRollingUpdate } from "../update-strategy.ts";
import { countTemplateChanges, decodeTemplateGeneration, startTemplateGeneration } from "./template-generation.ts";
import { checkDaemonSet, daemonSetCounts } from "./validation.ts";

/** DaemonSets: the selector is immutable, and an annotation counts changes of the pod template. */
export const daemonSetStrategy: KindStrategy = {
  group: "apps",
  plural: "daemonsets",
  hasGeneration: true,
  decode: decodeTemplateGeneration,
  defaults: {
    "apps.v1.DaemonSetSpec": { values: defaultHistory, rule: createParts("updateStrategy", "template") },
    "apps.v1.DaemonSetUpdateStrategy": { rule: defaultRollingUpdate({ maxUnavailable: 1, maxSurge: 0 }) },
  },
  prepareForCreate: startTemplateGeneration,
  prepareForUpdate: countTemplateChanges,
  validate: checkDaemonSet,
  validateUpdate: checkImmutableSelector,
  validatesUpdateFirst: true,
  status: { validate: checkCounts(daemonSetCounts) },
  warnings: templateWarnings,
  podTemplatePath: ["spec", "template"],
  table: { cells: daemonSetCells },
};

function daemonSetCells(object: unknown, nowMs: number): unknown[] {
  return [
    nameOf(object),
    numberAt(object, "status", "desiredNumberScheduled"),
    numberAt(object, "status", "currentNumberScheduled"),
    numberAt(object, "status", "numberReady"),
    numberAt(object, "status", "updatedNumberScheduled"),
    numberAt(object, "status", "numberAvailable"),
    labelText(object, "spec", "template", "spec", "nodeSelector"),
    age(object, nowMs),
    ...containerCells(valueAt(object, "spec", "template")),
    selectorText(object, selectorWords, "spec", "selector"),
  ];
}
