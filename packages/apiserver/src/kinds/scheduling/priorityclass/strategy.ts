import { numberAt, textAt, valueAt } from "../../../values/fields.ts";
import { age, nameOf } from "../../../tables/cell-text.ts";
import type { Field } from "../../../validation/field.ts";
import type { KindStrategy } from "../../strategy.ts";

/** PriorityClasses: names and values of the system classes are reserved. */
export const priorityClassStrategy: KindStrategy = {
  group: "scheduling.k8s.io",
  plural: "priorityclasses",
  hasGeneration: true,
  defaults: { "scheduling.v1.PriorityClass": { values: { preemptionPolicy: "PreemptLowerPriority" } } },
  validate: checkPriorityClass,
  table: { cells: priorityClassCells },
};

/** Validates a PriorityClass except for its metadata; see `ValidatePriorityClass` in Kubernetes. */
function checkPriorityClass(object: Field): void {
  const value = object.at("value");
  const name = object.at("metadata").at("name").text;
  if (name.startsWith("system-")) {
    const problem = systemPriorityProblem(name, value.number, object.at("globalDefault").value === true);
    const message = "priority class names with 'system-' prefix are reserved for system use only. error: ";
    if (problem !== undefined)
      object
        .at("metadata")
        .at("name")
        .forbidden(message + problem);
  } else if (value.number > 1_000_000_000) {
    value.forbidden("maximum allowed value of a user defined priority is 1000000000");
  }
  const policy = object.at("preemptionPolicy");
  if (policy.isSet) policy.oneOf(["PreemptLowerPriority", "Never"], { isRequired: true });
}

/** Reserved system classes with their values. */
const systemPriorities: ReadonlyMap<string, number> = new Map([
  ["system-node-critical", 2_000_001_000],
  ["system-cluster-critical", 2_000_000_000],
]);

/** Returns the reason why a class is not a system class; undefined when it is one. */
function systemPriorityProblem(name: string, value: number, isDefault: boolean): string | undefined {
  const known = systemPriorities.get(name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (known !== value) return `value of ${name} PriorityClass must be ${known}`;
  return isDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function priorityClassCells(object: unknown, nowMs: number): unknown[] {
  return [
    nameOf(object),
    numberAt(object, "value"),
    valueAt(object, "globalDefault") === true,
    age(object, nowMs),
    textAt(object, "preemptionPolicy"),
  ];
}
