import { createParts } from "../../defaulting/defaults.ts";
import { checkImmutableSelector } from "../../updates/immutable.ts";
import { labelSelectorText } from "../../selectors/selector-text.ts";
import { checkCounts } from "../../updates/status-counts.ts";
import { templateWarnings } from "../../pod-templates/template-warnings.ts";
import { replicaSetCells } from "../../workload-cells.ts";
import type { KindStrategy } from "../../strategy.ts";
import { checkReplicaSet, replicaSetCounts } from "./validation.ts";

/** ReplicaSets: the selector is immutable and must match the labels of the template. */
export const replicaSetStrategy: KindStrategy = {
  group: "apps",
  plural: "replicasets",
  hasGeneration: true,
  defaults: { "apps.v1.ReplicaSetSpec": { values: { replicas: 1 }, rule: createParts("template") } },
  validate: checkReplicaSet,
  validateUpdate: checkImmutableSelector,
  status: { validate: checkCounts(replicaSetCounts) },
  warnings: templateWarnings,
  scaleSelector: labelSelectorText,
  podTemplatePath: ["spec", "template"],
  table: { cells: replicaSetCells },
};
