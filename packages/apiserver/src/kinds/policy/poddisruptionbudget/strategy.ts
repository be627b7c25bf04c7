import { numberAt } from "../../../values/fields.ts";
import { age, nameOf, setOr } from "../../../tables/cell-text.ts";
import { segmentName } from "../../../validation/names.ts";
import { checkCounts } from "../../updates/status-counts.ts";
import type { KindStrategy } from "../../strategy.ts";
import { budgetCounts, checkDisruptionBudget } from "./validation.ts";

/** PodDisruptionBudgets: a new one allows no disruption until the controller has computed the status. */
export const podDisruptionBudgetStrategy: KindStrategy = {
  group: "policy",
  plural: "poddisruptionbudgets",
  hasGeneration: true,
  requiresVersionOnUpdate: true,
  prepareForCreate: (object) =>
    void (object["status"] = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }),
  validateName: segmentName,
  allowsAnyFinalizer: true,
  validate: checkDisruptionBudget,
  // `ValidatePodDisruptionBudget` skips metadata; `BeforeCreate` of the generic registry checks it, and only when the fields are valid.
  validatesMetadataLast: true,
  status: { validate: checkCounts(budgetCounts) },
  table: { cells: disruptionBudgetCells },
};

function disruptionBudgetCells(object: unknown, nowMs: number): unknown[] {
  return [
    nameOf(object),
    setOr(object, ["spec", "minAvailable"], "N/A"),
    setOr(object, ["spec", "maxUnavailable"], "N/A"),
    numberAt(object, "status", "disruptionsAllowed"),
    age(object, nowMs),
  ];
}
