import { isSet, textAt, valueAt } from "../../../values/fields.ts";
import { age, nameOf } from "../../../tables/cell-text.ts";
import type { KindStrategy } from "../../strategy.ts";

/** IngressClasses: parameters are cluster-scoped by default. */
export const ingressClassStrategy: KindStrategy = {
  group: "networking.k8s.io",
  plural: "ingressclasses",
  hasGeneration: true,
  defaults: { "networking.v1.IngressClassParametersReference": { values: { scope: "Cluster" } } },
  table: { cells: ingressClassCells },
};

function ingressClassCells(object: unknown, nowMs: number): unknown[] {
  const isDefault = textAt(object, "metadata", "annotations", "ingressclass.kubernetes.io/is-default-class") === "true";
  const parameters = valueAt(object, "spec", "parameters");
  const group = isSet(parameters, "apiGroup") ? `.${textAt(parameters, "apiGroup")}` : "";
  return [
    `${nameOf(object)}${isDefault ? " (default)" : ""}`,
    textAt(object, "spec", "controller"),
    isSet(parameters) ? `${textAt(parameters, "kind")}${group}/${textAt(parameters, "name")}` : "<none>",
    age(object, nowMs),
  ];
}
