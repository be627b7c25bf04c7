import { isQuantity, parseQuantity } from "@homeostat/core";
import { countedAs } from "../../../admission/quota-evaluator.ts";
import { entriesAt, valueAt } from "../../../values/fields.ts";
import { age, nameOf, quantityText } from "../../../tables/cell-text.ts";
import type { Field } from "../../../validation/field.ts";
import type { KindStrategy } from "../../strategy.ts";

/** ResourceQuotas: they are themselves counted by quotas. */
export const resourceQuotaStrategy: KindStrategy = {
  group: "",
  plural: "resourcequotas",
  returnsDeletedObject: true,
  validate: checkResourceQuota,
  quota: countedAs("resourcequotas"),
  table: { cells: quotaCells },
};

const scopes = new Set([
  "Terminating",
  "NotTerminating",
  "BestEffort",
  "NotBestEffort",
  "PriorityClass",
  "CrossNamespacePodAffinity",
]);

/** Validates a ResourceQuota except for its metadata; see `ValidateResourceQuotaSpec` in Kubernetes. */
function checkResourceQuota(object: Field): void {
  const hard = object.at("spec").at("hard");
  for (const [name, value] of hard.entries()) {
    const field = hard.as(`spec.hard[${name}]`);
    field.with(name).qualifiedName();
    const text = String(value);
    if (!isQuantity(text)) continue;
    const amount = parseQuantity(text);
    if (amount.sign() < 0) field.invalid("must be greater than or equal to 0", amount.toString());
    if (isCount(name) && !amount.isInteger()) field.invalid("must be an integer", amount.toString());
  }
  const list = object.at("spec").at("scopes");
  const texts = list.items().map((scope) => scope.text);
  for (const scope of texts) if (!scopes.has(scope)) list.invalid("unsupported scope");
  for (const [one, other] of [
    ["BestEffort", "NotBestEffort"],
    ["Terminating", "NotTerminating"],
  ] as const) {
    if (texts.includes(one) && texts.includes(other)) list.invalid("conflicting scopes");
  }
}

const counts = new Set([
  "pods",
  "services",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);

function isCount(name: string): boolean {
  return counts.has(name) || name.startsWith("count/");
}

function quotaCells(object: unknown, nowMs: number): unknown[] {
  const entries = entriesAt(object, "status", "hard").toSorted(([a], [b]) => (a < b ? -1 : 1));
  const texts = entries.map(([name, hard]) => ({
    isLimit: name.startsWith("limits."),
    text: `${name}: ${quantityText(valueAt(object, "status", "used", name))}/${quantityText(hard)}`,
  }));
  const join = (isLimit: boolean): string =>
    texts
      .filter((each) => each.isLimit === isLimit)
      .map(({ text }) => text)
      .join(", ");
  return [nameOf(object), join(false), join(true), age(object, nowMs)];
}
